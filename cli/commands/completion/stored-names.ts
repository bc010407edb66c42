import type { NameKind } from '#cli/commands/completion/name-kinds.ts';
import type { Config } from '#src/kernel/config.ts';

/** Milliseconds the database has for its answer; somebody is waiting between two keys. */
const PATIENCE = 800;
/** More names than this help nobody. */
const MOST = 200;

const QUERIES: Readonly<Record<NameKind, string>> = {
  families: 'select name from families where starts_with(name, $1) order by name limit $2',
  accounts: 'select distinct name from accounts where starts_with(name, $1) order by name limit $2',
  users: 'select email as name from users where starts_with(email, $1) order by email limit $2',
  providers: 'select name from sso_providers where starts_with(name, $1) order by name limit $2',
};

/** Names that begin with `prefix`. Throws when the database is not to be had at once; it is never started. */
export async function storedNames(config: Config, kind: NameKind, prefix: string): Promise<string[]> {
  const { reachableDatabase } = await import('#src/reachable-database.ts');
  const url = await reachableDatabase(config);
  const stored = url === undefined ? [] : await ask(url, QUERIES[kind], [prefix, MOST]);
  return kind === 'providers' && config.sso.source === 'yaml'
    ? [...new Set([...stored, ...(await namesOfFile(config))])]
    : stored;
}

async function ask(url: string, text: string, values: unknown[]): Promise<string[]> {
  const [{ Client }, { connectionTo }] = await Promise.all([
    import('pg'),
    import('#src/kernel/connection.ts'),
  ]);
  const client = new Client({
    ...connectionTo(url, { statement_timeout: PATIENCE, default_transaction_read_only: 'on' }),
    application_name: 'finance completion',
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<{ name: string }>(text, values)).rows.map(({ name }) => name);
  } finally {
    // Nobody waits for the farewell.
    client.end().catch(() => undefined);
  }
}

async function namesOfFile({ sso }: Config): Promise<string[]> {
  const { yamlSource } = await import('#src/sso/providers/sources/yaml.ts');
  return (await yamlSource(sso).list()).map(({ name }) => name);
}
