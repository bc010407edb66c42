import { afterAll, beforeEach, expect } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { Served } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import {
  CLIENT_ID,
  type FakeProvider,
  having,
  type Misbehaviour,
  startFakeProvider,
} from '#test/sso/support/fake-provider.ts';
import type { Harness } from '#test/support/database.ts';

export const SECRET = 'the client secret';

/** An OpenID provider in the database. */
export function givenAcme(
  harness: Harness,
  issuer: string,
  fields: Record<string, unknown> = {},
): Promise<Provider> {
  const usual = {
    strategy: 'openid_connect',
    name: 'acme',
    label: 'Sign in with Acme',
    client_id: CLIENT_ID,
    client_secret: SECRET,
  };
  return harness.perform((work) => createProvider(work, { ...usual, issuer, ...fields }));
}

/** A provider for this file alone, which behaves again before each test. */
export async function useFakeProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  beforeEach(() => {
    provider.behave = saying({});
    provider.requests.length = 0;
  });
  afterAll(() => provider.close());
  return provider;
}

/** A provider that behaves, and says this of whoever signs in. */
export function saying(claims: Record<string, unknown>, misbehaviour: Misbehaviour = {}): Misbehaviour {
  return { userInfo: having({ email_verified: true, ...claims }), ...misbehaviour };
}

/** Another person at the provider. */
export function being(subject: string, claims: Record<string, unknown> = {}): Misbehaviour {
  return {
    claims: having({ sub: subject }),
    userInfo: having({ sub: subject, email: `${subject}@example.com`, email_verified: true, ...claims }),
  };
}

/** Presses the button of a provider; where that leads. */
export async function pressButton(
  visitor: Visitor,
  { name = 'acme', page = '/sessions/new' }: { name?: string; page?: string } = {},
): Promise<Visited> {
  return visitor.submit(await visitor.get(page), `/auth/${name}`);
}

/** Presses the button and signs in there; the path that the browser is sent back to. */
export async function goThrough(
  visitor: Visitor,
  provider: Pick<FakeProvider, 'authorize'>,
  at: { name?: string; page?: string } = {},
): Promise<string> {
  const sent = await pressButton(visitor, at);
  if (sent.location === '') throw new Error(`the button answered ${sent.status}: ${sent.text}`);
  const { pathname, search } = provider.authorize(new URL(sent.location));
  return pathname + search;
}

/** A whole sign-in at the provider: the browser, and what it was answered in the end. */
export async function signInThrough(
  served: Pick<Served, 'url'>,
  provider: Pick<FakeProvider, 'authorize'>,
  at: { name?: string; page?: string } = {},
): Promise<{ visitor: Visitor; answer: Visited }> {
  const visitor = visit(served);
  const back = await goThrough(visitor, provider, at);
  return { visitor, answer: await visitor.get(back) };
}

/** The same browser at another process. */
export function elsewhere(visitor: Visitor, served: Pick<Served, 'url'>): Visitor {
  const other = visit(served);
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
  return other;
}

export async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/settings/security')).status === 200;
}

/** Everything that a sign-in may change, but for the log and what waits or counts. */
export async function snapshot(harness: Harness): Promise<unknown> {
  const tables = ['families', 'users', 'identities', 'sessions', 'blocked_identities', 'invitations'];
  const rows = await Promise.all(
    tables.map((table) => harness.query(`select to_jsonb(t) as row from ${table} t order by 1`)),
  );
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]]));
}

export interface Recorded {
  event_type: string;
  user_id: string | null;
  actor_id: string | null;
  provider: string | null;
  request_id: string | null;
  metadata: Record<string, unknown>;
}

/** What this test has put into the audit log, but for what its people and providers came from. */
export async function recorded(harness: Harness): Promise<Recorded[]> {
  const rows = await harness.query<Recorded>(
    `select event_type, user_id, actor_id, provider, request_id, metadata from audit_events
     order by created_at, id offset $1`,
    [harness.auditedBefore],
  );
  return rows.filter(({ event_type }) => !['provider_created', 'user_created'].includes(event_type));
}

export async function eventTypes(harness: Harness): Promise<string[]> {
  return (await recorded(harness)).map(({ event_type }) => event_type);
}

/** What is answered to a request that waits for another change, which is saved while it waits. */
export async function meanwhile(
  harness: Harness,
  change: string,
  ask: () => Promise<Visited>,
): Promise<Visited> {
  const other = await harness.runtime.pool.connect();
  try {
    await other.query('begin');
    await other.query(change);
    const asking = ask();
    await expect.poll(() => harness.query(WAITING)).not.toEqual([]);
    await other.query('commit');
    return await asking;
  } finally {
    other.release(true);
  }
}

const WAITING = `select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;
