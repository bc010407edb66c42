import { createApiKey } from '#src/auth/create-api-key.ts';
import { startSession } from '#src/auth/start-session.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { matchTransfers } from '#src/ledger/match-transfers.ts';
import { rejectTransfer } from '#src/ledger/reject-transfer.ts';
import { createUser } from '#src/users/create-user.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { setPassword } from '#src/users/set-password.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider, OAUTH2, SAML } from '#test/sso/given-provider.ts';
import type { Harness } from '#test/support/database.ts';
import { givenAccount, givenStatement } from '#test/support/given.ts';

/** Nobody listens there: what asks it fails at once, with or without a network. */
export const NOBODY = 'https://127.0.0.1:1';

export const PASSWORD = 'planted-password-marker-5c1d';

/** Ids of what is in a database that holds some of everything. */
export interface Populated {
  familyId: string;
  adaId: string;
  importId: string;
  pendingId: string;
  rejectedId: string;
  /** Two transactions that could be a transfer, and are none yet. */
  pairIds: [string, string];
  apiKeyId: string;
  /** Secrets that were handed out. */
  apiKey: string;
  session: string;
  invitation: string;
}

/**
 * The family Smith with Ada, who is super admin, Bob, Eve and Mel, who is suspended; accounts Checking, Savings, Visa and Giro with some
 * statements; a transfer that is pending and one that was rejected; the providers okta (where nobody answers), github
 * and adfs; somebody blocked at okta.
 */
export async function givenPopulated(harness: Harness): Promise<Populated> {
  const { familyId, adaId, ...handedOut } = await givenPeople(harness);
  const { importId, pendingId, rejectedId, pairIds } = await givenMovements(harness, familyId);
  await givenProvider(harness, { issuer: NOBODY, role_mapping: { admin: ['Finance-Admins'] } });
  await givenProvider(harness, { ...OAUTH2, issuer: undefined, label: 'GitHub' });
  await givenProvider(harness, {
    ...SAML,
    issuer: undefined,
    client_id: undefined,
    client_secret: undefined,
  });
  await givenIdentity(harness, { userId: adaId, subject: 'ada', groups: ['Finance-Admins'] });
  await harness.query(
    `insert into blocked_identities values ('okta', '00u1abcd', 'gone@example.com', now())`,
  );
  return { familyId, adaId, importId, pendingId, rejectedId, pairIds, ...handedOut };
}

async function givenPeople(harness: Harness) {
  return harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'EUR' });
    const person = (email: string, role: string) => createUser(work, { familyId, email, role });
    const { id: adaId } = await person('ada@example.com', 'super_admin');
    await person('bob@example.com', 'member');
    await person('eve@example.com', 'super_admin');
    await person('mel@example.com', 'member');
    await suspendUser(work, { user: 'mel@example.com' });
    await setPassword(work, { user: adaId, password: PASSWORD });
    const { token: invitation } = await inviteUser(work, {
      email: 'ann@example.com',
      familyId,
      role: 'member',
    });
    const { apiKey, key } = await createApiKey(work, { userId: adaId, name: 'test', scope: 'read' });
    const session = await startSession(work, { userId: adaId, lifetimeHours: 1 });
    return { familyId, adaId, apiKeyId: apiKey.id, apiKey: key, session, invitation };
  });
}

async function givenMovements(harness: Harness, familyId: string) {
  const [checking, savings] = [
    await givenAccount(harness, { familyId, name: 'Checking' }),
    await givenAccount(harness, { familyId, name: 'Savings' }),
  ];
  for (const name of ['Visa', 'Giro']) await givenAccount(harness, { familyId, name });
  const report = await givenStatement(harness, checking, [
    ['2026-01-05', '-100.00', 'To savings'],
    ['2026-01-06', '-4.50', 'Coffee'],
    ['2026-02-05', '-200.00', 'To savings'],
  ]);
  await givenStatement(harness, savings, [
    ['2026-01-05', '100.00', 'From checking'],
    ['2026-02-05', '200.00', 'From checking'],
  ]);
  const { importId } = report;
  const transfers = await harness.perform(async (work) => {
    const { pending } = await matchTransfers(work, { familyId });
    const [kept, other] = pending;
    if (!kept || !other || importId === null) throw new Error('nothing was paired');
    const rejected = await rejectTransfer(work, { familyId, id: other.id });
    return { importId, pendingId: kept.id, rejectedId: rejected.id };
  });
  // Nobody has looked for transfers since.
  await givenStatement(harness, checking, [['2026-03-05', '-300.00', 'To savings']]);
  await givenStatement(harness, savings, [['2026-03-05', '300.00', 'From checking']]);
  const loose = await harness.query<{ id: string }>(
    `select t.id from transactions t join entries e on e.id = t.entry_id where e.date = '2026-03-05' order by 1`,
  );
  const [one, two] = loose.map(({ id }) => id);
  if (!one || !two) throw new Error('a statement did not come in');
  return { ...transfers, pairIds: [one, two] as [string, string] };
}
