import { AUDIT_FIELDS } from '#src/audit/audit-fields.ts';
import { AUDIT_CONDITION, type AuditRow } from '#src/audit/audit-row.ts';
import type { TextRow } from '#src/audit/export/snapshot.ts';
import { csvRecord } from '#src/kernel/csv.ts';
import { safeText } from '#src/kernel/safe-text.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'json'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How events become records: text without a line end. */
export interface Encoding {
  /** Asks for events in order of time and id; its values are those of the filter. */
  sql: string;
  fromRow: (row: TextRow) => string;
  fromEvent: (event: AuditRow) => string;
  /** Records as a piece of the file. */
  join: (records: readonly string[], isFirst: boolean) => string;
  /** What stands after the last of them. */
  end: (isEmpty: boolean) => string;
}

/** The values of AUDIT_FIELDS, in their order. */
const FIELDS = `to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  e.event_type, e.user_id, u.email as user_email, e.actor_kind, e.actor_id, a.email as actor_email, e.provider,
  e.ip_address, e.user_agent, e.request_id, e.metadata, e.id`;

const EVENTS = `from audit_events e
  left join lateral (select email from users where id = e.user_id limit 1) u on true
  left join lateral (select email from users where id = e.actor_id limit 1) a on true
where ${AUDIT_CONDITION}
order by e.created_at, e.id`;

/** The database writes the JSON. */
const JSON_RECORDS = {
  sql: `select (select row_to_json(event)::text from (select ${FIELDS}) event) ${EVENTS}`,
  fromRow: ([line]: TextRow) => line ?? '',
  fromEvent: (event: AuditRow) => JSON.stringify(presentEvent(event)),
};

const METADATA = AUDIT_FIELDS.findIndex(({ key }) => key === 'metadata');

export const ENCODINGS: Readonly<Record<ExportFormat, Encoding>> = {
  ndjson: {
    ...JSON_RECORDS,
    join: (records) => safe(`${records.join('\n')}\n`),
    end: () => '',
  },
  json: {
    ...JSON_RECORDS,
    join: (records, isFirst) => safe(`${isFirst ? '[\n' : ',\n'}${records.join(',\n')}`),
    end: (isEmpty) => (isEmpty ? '[]\n' : '\n]\n'),
  },
  csv: {
    sql: `select ${FIELDS} ${EVENTS}`,
    fromRow: (row) => csvRecord(row.with(METADATA, JSON.stringify(JSON.parse(row[METADATA] ?? '{}')))),
    fromEvent: (event) => csvRecord(AUDIT_FIELDS.map(({ value }) => value(event))),
    join: (records, isFirst) => `${(isFirst ? [HEADING, ...records] : records).join('\n')}\n`,
    end: (isEmpty) => (isEmpty ? `${HEADING}\n` : ''),
  },
};

const HEADING = csvRecord(AUDIT_FIELDS.map(({ key }) => key));

/** As CSV, but the details are an object. */
function presentEvent(event: AuditRow): Record<string, unknown> {
  return {
    ...Object.fromEntries(AUDIT_FIELDS.map(({ key, value }) => [key, value(event)])),
    metadata: event.metadata,
  };
}

const PLAIN = /^[\n\x20-\x7e]*$/;

/** Nearly everything is plain, and found to be so in a fraction of the time. */
function safe(json: string): string {
  return PLAIN.test(json) ? json : safeText(json);
}
