import { existsSync } from 'node:fs';
import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';
import { keptSecretFile } from '#src/embedded/kept-secret-key-base.ts';
import type { Config } from '#src/kernel/config.ts';
import { checkKeys } from '#src/sso/providers/rotate-keys.ts';

const IS_ANY = `select exists (select 1 from sso_providers where secrets <> '{}')
  or exists (select 1 from identities where refresh_token is not null or id_token is not null) as found`;

/** Whether every stored secret can be opened. */
export async function encryptionKeys(subject: Subject): Promise<Finding> {
  const database = await databaseOf(subject);
  const [any] = await database.sql<{ found: boolean }>(IS_ANY);
  if (!any?.found) return ok('nothing is encrypted yet');
  const lost = lostFile(subject.config());
  if (lost) return fail(`stored secrets cannot be opened: ${lost} is gone`, 'Restore it from a backup.');

  const { cipher } = await subject.runtime();
  const { current, older, unreadable } = await checkKeys({ ...database, cipher });
  const total = current + older + unreadable.length;
  if (unreadable.length > 0) {
    return fail(
      `${unreadable.length} of ${total} stored secrets cannot be opened`,
      'Set the keys they were encrypted with; financectl keys check names them.',
    );
  }
  if (older === 0) return ok(`${total} stored ${total === 1 ? 'secret' : 'secrets'} can be opened`);
  return warn(`${older} of ${total} stored secrets have an older key`, 'Run financectl keys rotate.');
}

/** The cipher would make another one, and the first would not be missed. */
function lostFile({ secretKeyBase, encryption, database, dataDir }: Config): string | undefined {
  if (secretKeyBase !== undefined || encryption || database.url !== undefined) return undefined;
  const file = keptSecretFile(dataDir);
  return existsSync(file) ? undefined : file;
}
