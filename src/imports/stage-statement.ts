import { hash, randomUUIDv7 } from 'node:crypto';
import type { LineMessage, Statement, StatementRow } from '#src/imports/readers/statement.ts';
import type { Work } from '#src/kernel/work.ts';

export interface Staging {
  rowCount: number;
  problemCount: number;
  /** The first ones; a broken file may have as many as it has lines. */
  problems: LineMessage[];
  notices: LineMessage[];
}

const KEPT_MESSAGES = 1_000;

const CREATE = `create temporary table staged (
  line integer, entry_id uuid, transaction_id uuid, date date, amount_cents bigint, currency text, name text,
  notes text, external_id text, content_hash text, category text, merchant text, tags text[]
) on commit drop`;

const FILL = `insert into staged select * from json_to_recordset($1::json) as row (
  line integer, entry_id uuid, transaction_id uuid, date date, amount_cents bigint, currency text, name text,
  notes text, external_id text, content_hash text, category text, merchant text, tags text[])`;

/** Carries the rows of a statement, batch by batch, into the temporary table `staged` of this unit of work. */
export async function stageStatement(
  work: Work,
  statement: Statement,
  onProgress: (rows: number) => void = () => undefined,
): Promise<Staging> {
  const staging: Staging = { rowCount: 0, problemCount: 0, problems: [], notices: [] };
  await work.sql(CREATE);
  for await (const { rows, problems, notices } of statement.batches) {
    if (rows.length > 0) await work.sql(FILL, [JSON.stringify(rows.map(toStaged))]);
    staging.rowCount += rows.length;
    staging.problemCount += problems.length;
    keep(staging.problems, problems);
    keep(staging.notices, notices);
    onProgress(staging.rowCount);
  }
  // The planner knows nothing of a new table; what follows joins it with big ones.
  await work.sql('analyze staged');
  return staging;
}

/** Makes room for the next statement of the same unit of work. */
export async function dropStaged(work: Work): Promise<void> {
  await work.sql('drop table staged');
}

function keep(kept: LineMessage[], messages: LineMessage[]): void {
  kept.push(...messages.slice(0, KEPT_MESSAGES - kept.length));
}

function toStaged(row: StatementRow) {
  return {
    line: row.line,
    entry_id: randomUUIDv7(),
    transaction_id: randomUUIDv7(),
    date: row.date,
    amount_cents: row.amountCents,
    currency: row.currency,
    name: row.name,
    notes: row.notes,
    external_id: row.externalId,
    content_hash: row.externalId === null ? contentHash(row) : null,
    category: row.category,
    merchant: row.merchant,
    tags: row.tags,
  };
}

/** What makes a row without an id of the bank's the same row in another file. Category and tags may be edited. */
function contentHash({ date, amountCents, currency, name, notes }: StatementRow): string {
  return hash('sha256', JSON.stringify([date, amountCents, currency, name, notes]), 'base64url').slice(0, 22);
}
