import { Document, visit } from 'yaml';
import { isRecord } from '#src/sso/providers/field-reader.ts';
import { escapeReferences } from '#src/sso/providers/file/interpolate.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { fieldsOf, isSecretField } from '#src/sso/providers/provider-fields.ts';

export interface ExportedProviders {
  providers: Record<string, unknown>[];
  /** Variables the export refers to in place of secrets. */
  variables: string[];
}

/** Providers as `readProviderFile` reads them back: secrets are references to variables, everything else is itself. */
export function exportProviders(providers: readonly Provider[]): ExportedProviders {
  const variables: string[] = [];
  const exported = providers.map((provider) =>
    Object.fromEntries(
      Object.entries(fieldsOf(provider)).map(([field, value]) => {
        if (!isSecretField(field)) return [field, escapeAll(value)];
        const variable = variableFor(provider.id, field);
        variables.push(variable);
        return [field, `\${${variable}}`];
      }),
    ),
  );
  return { providers: exported, variables };
}

/** The variable that stands for a field of the provider with this id. */
export function variableFor(id: string, field: string): string {
  return `${id}_${field}`.toUpperCase().replaceAll('-', '_');
}

export function exportYaml({ providers, variables }: ExportedProviders): string {
  const heading = variables
    .map((name) => `# ${name} must be set, unless the secret is stored already.\n`)
    .join('');
  const document = new Document({ providers });
  visit(document, {
    // Between double quotes every character can be written as an escape, for terminals that must not see it.
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && UNPRINTABLE.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return `${heading}${document.toString({ lineWidth: 0 })}`;
}

const UNPRINTABLE = /[\p{Zl}\p{Zp}]|(?!\n)\p{C}/u;

function escapeAll(value: unknown): unknown {
  if (typeof value === 'string') return escapeReferences(value);
  if (Array.isArray(value)) return value.map(escapeAll);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, escapeAll(part)]));
}
