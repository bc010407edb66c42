import { readFieldFile } from '#cli/commands/providers/secret-file.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { oneLine } from '#src/kernel/safe-text.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ImportedMetadata } from '#src/sso/saml/metadata/import-metadata.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';

/** The fields that metadata in a file gives; told to whoever watches. `entityId` says which, where it holds several. */
export async function readMetadataFile(host: Host, path: string, entityId: unknown): Promise<Fields> {
  const { importMetadata } = await import('#src/sso/saml/metadata/import-metadata.ts');
  const xml = await readFieldFile(host, path, false);
  const wanted = typeof entityId === 'string' ? entityId : undefined;
  const { metadata, fields } = importMetadata(xml, { entityId: wanted, now: new Date() });
  await tellMetadata(host, metadata);
  return fields;
}

/** Keeps what was read for all processes. */
export async function keepMetadataOf(
  work: Work,
  provider: Provider,
  imported: ImportedMetadata | undefined,
): Promise<void> {
  if (!imported) return;
  const { keepImported } = await import('#src/sso/saml/metadata/import-metadata.ts');
  await keepImported(work, provider, imported);
}

export async function tellMetadata(host: Host, metadata: IdpMetadata): Promise<void> {
  const { describeMetadata } = await import('#src/sso/saml/metadata/describe-metadata.ts');
  const { facts, certificates, warnings } = describeMetadata(metadata, new Date());
  say(host.io, 'The metadata says:');
  for (const [what, value] of facts) say(host.io, `  ${what}: ${oneLine(value)}`);
  for (const { subject, fingerprint, expiresAt } of certificates) {
    say(host.io, `  certificate: ${oneLine(subject)}, until ${expiresAt.toISOString().slice(0, 10)}`);
    say(host.io, `    SHA-256 ${fingerprint}`);
  }
  for (const warning of warnings) say(host.io, `Note: ${warning}`);
}
