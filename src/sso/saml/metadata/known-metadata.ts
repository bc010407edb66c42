import type { Sql } from '#src/kernel/sql-on.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { readMetadataFacts } from '#src/sso/saml/metadata/read-metadata-facts.ts';

/** The last good answer of a metadata URL, as all processes know it. */
export interface KnownMetadata {
  url: string;
  metadata: IdpMetadata;
  fetchedAt: Date;
  checkedAt: Date;
  /** Reason of the refusal when it was asked the last time. */
  problem?: string | undefined;
}

/** What is known of each provider's metadata, by provider id, without asking anybody. */
export async function listKnownMetadata({ sql }: Sql): Promise<Map<string, KnownMetadata>> {
  const rows = await sql<Row>(`select ${COLUMNS} from provider_metadata`);
  return new Map(rows.flatMap((row) => pairOf(row)));
}

export async function lookUpKnownMetadata(
  { sql }: Sql,
  providerId: string,
): Promise<KnownMetadata | undefined> {
  const rows = await sql<Row>(`select ${COLUMNS} from provider_metadata where provider = $1`, [providerId]);
  return rows.flatMap((row) => pairOf(row))[0]?.[1];
}

/** What another process has fetched since stays. */
export async function keepMetadata({ sql }: Sql, providerId: string, known: KnownMetadata): Promise<void> {
  const { url, metadata, fetchedAt, checkedAt, problem = null } = known;
  await sql(
    `insert into provider_metadata (provider, url, facts, fetched_at, checked_at, problem)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (provider) do update set url = excluded.url, facts = excluded.facts,
       fetched_at = excluded.fetched_at, checked_at = excluded.checked_at, problem = excluded.problem
     where provider_metadata.fetched_at <= excluded.fetched_at or provider_metadata.url <> excluded.url`,
    [providerId, url, JSON.stringify(metadata), fetchedAt, checkedAt, problem],
  );
}

interface Row {
  provider: string;
  url: string;
  facts: unknown;
  fetched_at: string;
  checked_at: string;
  problem: string | null;
}

const COLUMNS = 'provider, url, facts, fetched_at, checked_at, problem';

/** Facts that an older version wrote in another shape are asked for again. */
function pairOf(row: Row): [string, KnownMetadata][] {
  const metadata = isRecord(row.facts) ? readMetadataFacts(row.facts) : undefined;
  if (!metadata) return [];
  const known = {
    url: row.url,
    metadata,
    fetchedAt: new Date(row.fetched_at),
    checkedAt: new Date(row.checked_at),
    problem: row.problem ?? undefined,
  };
  return [[row.provider, known]];
}
