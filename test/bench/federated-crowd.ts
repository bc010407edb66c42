import { loadConfig } from '#config/env.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import { createRuntime } from '#src/runtime.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import type { Site } from '#test/bench/bench.ts';
import { CLIENT_ID, CLIENT_SECRET, subjectOf } from '#test/bench/issuer-terms.ts';
import { addCrowd } from '#test/bench/people.ts';
import { BENCH_SECRET } from '#test/bench/processes.ts';

/** Name of the provider, and its id. */
export const PROVIDER = 'bench';

/** A provider as the product keeps it, and people who have signed in there before: nobody is new or linked by email. */
export async function addFederatedCrowd(
  { url, monitor }: Site,
  issuer: string,
  count: number,
): Promise<void> {
  await addProvider(url, {
    strategy: 'openid_connect',
    name: PROVIDER,
    issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  });
  const { people } = await addCrowd(monitor, 'oidc', count);
  await monitor.query(
    `insert into identities (id, user_id, provider, subject, issuer, groups, attributes, created_at)
     select gen_random_uuid(), u.id, $1, p.subject, $2, '[]', '{}', now()
     from unnest($3::text[], $4::text[]) p (email, subject) join users u on u.email = p.email`,
    [PROVIDER, issuer, people.map(({ email }) => email), people.map((_, person) => subjectOf(person))],
  );
  await monitor.query('vacuum (analyze) identities');
}

/** The same for SAML, where the email is the NameID. Answers with all of them. */
export async function addSamlCrowd(
  { url, monitor }: Site,
  { name, fields, count }: { name: string; fields: Record<string, unknown>; count: number },
): Promise<string[]> {
  await addProvider(url, fields);
  const { people } = await addCrowd(monitor, 'saml', count);
  const emails = people.map(({ email }) => email);
  await monitor.query(
    `insert into identities (id, user_id, provider, subject, issuer, groups, attributes, created_at)
     select gen_random_uuid(), u.id, $1, u.email, $2, '[]', '{}', now() from users u where u.email = any($3)`,
    [name, fields.entity_id, emails],
  );
  await monitor.query('vacuum (analyze) identities');
  return emails;
}

async function addProvider(url: string, fields: Record<string, unknown>): Promise<void> {
  const config = loadConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1', SECRET_KEY_BASE: BENCH_SECRET });
  const runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 0 });
  try {
    await perform(runtime, { actor: { kind: 'cli' } }, (work) => createProvider(work, fields));
  } finally {
    await runtime.close();
  }
}
