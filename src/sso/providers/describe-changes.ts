import type { Provider } from '#src/sso/providers/provider.ts';
import { changedFields, fieldsOf, isSecretField } from '#src/sso/providers/provider-fields.ts';

const LONGEST = 60;

/** What is different, one line for each field: old and new value where both are short, of secrets the name alone. */
export function describeChanges(before: Provider, after: Provider, changed?: readonly string[]): string[] {
  const [old, wanted] = [fieldsOf(before), fieldsOf(after)];
  return (changed ?? changedFields(old, wanted)).map((field) => {
    const [from, to] = [old[field], wanted[field]];
    if (isSecretField(field) || !isShort(from) || !isShort(to)) return field;
    return `${field}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
  });
}

function isShort(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'string' && value.length <= LONGEST);
}
