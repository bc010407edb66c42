import { certificateLine } from '#cli/commands/providers/certificate-line.ts';
import type { Cell } from '#cli/render.ts';
import { describeCertificate, splitCertificates } from '#src/sso/providers/describe-certificate.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { fieldsOf, isSecretField } from '#src/sso/providers/provider-fields.ts';
import { providerUrls } from '#src/sso/providers/provider-urls.ts';

/** A provider for programs: every field, of secrets only that they are set, and the addresses to register. */
export function presentProvider(provider: Provider, appUrl: string): Record<string, unknown> {
  return { ...maskedFields(provider), urls: urlsOf(provider, appUrl) };
}

/** The same for people, one line each. */
export function providerLines(provider: Provider, appUrl: string): [label: string, value: Cell][] {
  const { role_mapping: mapping, ...fields } = maskedFields(provider);
  return [
    ...Object.entries(fields).flatMap(([name, value]) => fieldLines(name, value)),
    ...mappingLines(provider, mapping !== undefined),
    ...Object.entries(urlsOf(provider, appUrl)).map(([name, url]): [string, Cell] => [
      `our ${title(name)}`,
      url,
    ]),
  ];
}

export function urlsOf(provider: Provider, appUrl: string): ReturnType<typeof providerUrls> {
  const { id, name, strategy } = provider;
  const redirectUri = provider.strategy === 'saml' ? undefined : provider.redirectUri;
  return providerUrls({ id, name, strategy, redirectUri }, appUrl);
}

function maskedFields(provider: Provider): Record<string, unknown> {
  const masked = Object.entries(fieldsOf(provider)).map(([field, value]) => [
    field,
    isSecretField(field) ? 'set' : value,
  ]);
  const secret = provider.strategy === 'saml' ? {} : { client_secret: 'not set' };
  return { ...secret, ...Object.fromEntries(masked) };
}

function fieldLines(name: string, value: unknown): [string, Cell][] {
  if (!name.endsWith('certificate') || typeof value !== 'string') return [[title(name), toCell(value)]];
  return splitCertificates(value).map((pem) => [
    title(name),
    certificateLine(describeCertificate(pem, new Date())),
  ]);
}

function mappingLines({ roleMapping }: Provider, present: boolean): [string, Cell][] {
  if (!present) return [['role mapping', 'none']];
  const { mappings, conditions, hierarchy, customMappings } = roleMapping;
  return [
    ...mappings.map(({ group, role }): [string, Cell] => ['mapping', `${group} -> ${role}`]),
    ...conditions.map(({ attribute, value, groups, role }): [string, Cell] => [
      'condition',
      `${attribute} = ${value}${groups.length > 0 ? `, in ${groups.join(' or ')}` : ''} -> ${role}`,
    ]),
    ...Object.entries(hierarchy).map(([role, roles]): [string, Cell] => [
      'hierarchy',
      `${role} includes ${roles.join(', ')}`,
    ]),
    ...Object.entries(customMappings).map(([path, field]): [string, Cell] => [
      'custom mapping',
      `${path} -> ${field}`,
    ]),
  ];
}

function title(name: string): string {
  return name.replaceAll('_', ' ');
}

function toCell(value: unknown): Cell {
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  return String(value);
}
