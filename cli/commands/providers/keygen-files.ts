import { join, resolve } from 'node:path';
import { openSource } from '#cli/commands/providers/source.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { createResultFile } from '#cli/result-file.ts';
import { describeCertificate } from '#src/sso/providers/describe-certificate.ts';
import { variableFor } from '#src/sso/providers/file/export-providers.ts';
import { findEntry } from '#src/sso/providers/find-entry.ts';
import { KEY_FIELDS, makeProviderKey, requireSaml } from '#src/sso/providers/generate-provider-key.ts';
import type { KeyPair, KeyUse } from '#src/sso/providers/make-certificate.ts';

interface Wanted {
  for: KeyUse;
  days?: number;
  bits?: number;
  replace?: true;
  folder: string;
}

/** Makes a key for a provider of the file, which nobody but its owner edits: as two files, with what to put there. */
export async function keygenToFiles(host: Host, reference: string, wanted: Wanted): Promise<void> {
  const { for: use, days, bits, folder } = wanted;
  const { id, name, strategy, origin } = await findEntry(await openSource(host), reference);
  requireSaml({ name, strategy });
  if (origin === 'database') {
    throw new UsageError(
      `--to-dir is for providers of the file, and ${name} is one of the database`,
      'Without --to-dir the key is stored there, encrypted.',
    );
  }
  const { appUrl } = host.config().http;
  const pair = await makeProviderKey(id, { use, days, bits, appUrl }, new Date());
  const base = join(resolve(folder), `${name}-${use}`);
  const paths = { key: `${base}.key`, certificate: `${base}.crt` };
  if (host.dryRun) host.rehearse();
  else await writePair(paths, pair, wanted.replace === true || host.flags.force === true);

  const { key, certificate } = KEY_FIELDS[use];
  const variables = [key, certificate].map((field) => ({ field, variable: variableFor(id, field) }));
  const fields = Object.fromEntries(variables.map(({ field, variable }) => [field, `\${${variable}}`]));
  const environment = Object.fromEntries(
    variables.map(({ field, variable }) => [
      `${variable}_FILE`,
      field === key ? paths.key : paths.certificate,
    ]),
  );
  const { fingerprint, expiresAt } = describeCertificate(pair.certificate, new Date());
  tell(host, { fields, environment, file: host.config().sso.file, paths });
  if (!host.flags.json) return print(host.io, pair.certificate.trimEnd());
  printJson(host, {
    id,
    name,
    for: use,
    certificate: pair.certificate,
    fingerprint_sha256: fingerprint,
    expires_at: expiresAt.toISOString(),
    files: paths,
    fields,
    environment,
  });
}

interface Paths {
  key: string;
  certificate: string;
}

/** Both or none. */
async function writePair(paths: Paths, { privateKey, certificate }: KeyPair, force: boolean): Promise<void> {
  const key = await createResultFile(paths.key, { force });
  try {
    const second = await createResultFile(paths.certificate, { force });
    key.write(privateKey);
    second.write(certificate);
    await second.keep();
  } catch (error) {
    await key.discard();
    throw error;
  }
  await key.keep();
}

interface Told {
  fields: Record<string, string>;
  environment: Record<string, string>;
  file: string;
  paths: Paths;
}

function tell({ io }: Host, { fields, environment, file, paths }: Told): void {
  say(io, `Key: ${paths.key}`);
  say(io, `Certificate: ${paths.certificate}`);
  say(io, `Put this into the provider's entry in ${file}:`);
  for (const [field, reference] of Object.entries(fields)) say(io, `    ${field}: ${reference}`);
  say(io, 'and this into the environment of every process:');
  for (const [name, path] of Object.entries(environment)) say(io, `    ${name}=${path}`);
  say(io, 'Then start the server again, and let the identity provider read our metadata again.');
}
