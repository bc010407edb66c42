import { randomUUID } from 'node:crypto';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser } from '#src/users/create-user.ts';
import { rehashPassword } from '#src/users/password.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { type Visitor, visit } from '#test/http/visitor.ts';
import type { Harness } from '#test/support/database.ts';

export const PASSWORD = 'a very private sentence';

export interface Person {
  id: string;
  familyId: string;
  email: string;
}

/** Somebody with a password and a family. */
export async function givenPerson(
  harness: Harness,
  {
    role = 'member',
    password = PASSWORD,
    familyId = '',
    email = `${randomUUID()}@example.com`,
  }: { role?: string; password?: string | null; familyId?: string; email?: string } = {},
): Promise<Person> {
  return harness.perform(async (work) => {
    const family =
      familyId || (await createFamily(work, { name: `The ${email.slice(0, 8)}s`, currency: 'USD' })).id;
    const user = await createUser(work, { familyId: family, email, role });
    if (password !== null) {
      const digest = await digestOf(password);
      await work.sql('update users set password_digest = $2 where id = $1', [user.id, digest]);
    }
    return { id: user.id, familyId: family, email };
  });
}

const digests = new Map<string, Promise<string>>();

/** Hashing takes its time, and nothing here depends on the salt. */
function digestOf(password: string): Promise<string> {
  const known = digests.get(password) ?? rehashPassword(password);
  digests.set(password, known);
  return known;
}

/** A browser in which this person is signed in. */
export async function signIn(
  served: Pick<Served, 'url'>,
  { email }: { email: string },
  password = PASSWORD,
): Promise<Visitor> {
  const visitor = visit(served);
  const page = await visitor.get('/sessions/new');
  const answer = await visitor.submit(page, '/sessions', { email, password });
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}: ${answer.text}`);
  return visitor;
}

/** The application with other settings than the harness has. */
export function serveWith(harness: Harness, change: Partial<Harness['runtime']['config']>): Promise<Served> {
  return serve({ ...harness.runtime, config: { ...harness.runtime.config, ...change } });
}

/** What this test has put into the audit log, oldest first. */
export async function auditLog(harness: Harness): Promise<Record<string, unknown>[]> {
  return harness.query(
    `select event_type, user_id, actor_id, actor_kind, ip_address, user_agent, request_id, metadata
     from audit_events order by created_at, id offset $1`,
    [harness.auditedBefore],
  );
}
