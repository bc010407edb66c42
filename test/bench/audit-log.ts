import type pg from 'pg';
import type { Bench } from '#test/bench/bench.ts';
import { openClient } from '#test/bench/databases.ts';

/** A database with a long audit log. */
export interface AuditLog {
  url: string;
  client: pg.Client;
  /** All of them more than 90 days ago and less than a year. */
  events: number;
  days: number;
  /** Behind the last of them. */
  until: Date;
}

const EVENTS_A_DAY = 20_000;
const DAY_MS = 86_400_000;
const YOUNGEST_DAYS = 100;

const FAMILY = `insert into families (id, name, currency, demo, transfer_matching, created_at, updated_at)
values (gen_random_uuid(), 'Bench', 'EUR', false, true, now(), now()) returning id`;

const PEOPLE = `insert into users (id, family_id, email, role, created_at, updated_at)
select gen_random_uuid(), $1, 'person' || n || '@example.com', 'member', now(), now() from generate_series(1, 1000) n`;

/** Ids in the order of time, as the product makes them. */
const EVENTS = `with people as (select array_agg(id) as ids from users)
insert into audit_events (id, created_at, event_type, user_id, actor_id, actor_kind, provider, ip_address, user_agent,
  metadata, request_id)
select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
    || '8' || substr(md5(n::text), 4, 15))::uuid,
  at, (array['login', 'login', 'login_failed', 'logout', 'link', 'role_changed'])[1 + n % 6],
  case when n % 7 > 0 then ids[1 + n * 7919 % 1000] end, case when n % 5 = 0 then ids[1 + n * 31 % 1000] end, 'web',
  case when n % 3 = 0 then 'okta' end, '192.0.2.' || n % 256,
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.' || n % 50 || ' Safari/537.36',
  jsonb_build_object('method', 'local', 'email', 'person' || n % 1000 || '@example.com', 'reason', 'wrong_password'),
  md5('request' || n)::uuid::text
from people, generate_series(0, $2::bigint - 1) n,
  lateral (select $1::timestamptz + n * interval '1 day' / ${EVENTS_A_DAY} as at) times`;

const made = new WeakMap<Bench, Promise<AuditLog>>();

/** The same for every section. */
export function auditLogOf(bench: Bench): Promise<AuditLog> {
  const known = made.get(bench) ?? fill(bench);
  made.set(bench, known);
  return known;
}

async function fill(bench: Bench): Promise<AuditLog> {
  const { options, databases, cleanup } = bench;
  const events = options.quick ? 200_000 : 1_000_000;
  const days = events / EVENTS_A_DAY;
  bench.say(`filling finance_bench_audit with ${events.toLocaleString('en')} audit events of ${days} days`);
  const url = await databases.create('finance_bench_audit');
  const client = await openClient(url);
  cleanup.defer(() => client.end());
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const until = new Date(today - YOUNGEST_DAYS * DAY_MS);
  const since = new Date(until.getTime() - days * DAY_MS);

  const { rows } = await client.query(FAMILY);
  await client.query(PEOPLE, [rows[0]?.id]);
  await withoutTriggers(client, () => client.query(EVENTS, [since.toISOString(), events]));
  await client.query('vacuum (analyze) audit_events, users');
  return { url, client, events, days, until };
}

/** What protects the log keeps a bench from filling it. */
export async function withoutTriggers(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('alter table audit_events disable trigger user');
  await work();
  await client.query('alter table audit_events enable trigger user');
}
