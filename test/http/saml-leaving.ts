import { afterAll, beforeAll } from 'vitest';
import { startSession } from '#src/auth/start-session.ts';
import { type Recorded, recorded } from '#test/http/federated.ts';
import { givenPerson } from '#test/http/people.ts';
import { givenCorp, postAcross } from '#test/http/saml-federated.ts';
import { recordingLog, type Served, serve } from '#test/http/serve.ts';
import { type Visited, visit } from '#test/http/visitor.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import {
  type Binding,
  type LogoutWords,
  type Posting,
  post,
  type Sent,
  writeLogout,
} from '#test/sso/support/saml-idp-logout.ts';
import { type SamlKey, samlKey } from '#test/sso/support/saml-keys.ts';
import type { Harness } from '#test/support/database.ts';

export const ENTITY = 'http://localhost:3000/auth/saml/corp';
export const ADA = 'ada@example.com';
export const BINDINGS = ['redirect', 'post'] as const;

export interface Account {
  userId: string;
  identityId: string;
}

/** What signing out through SAML needs, made once for a test file. */
export interface Leaving {
  idp: SamlIdp;
  theirs: SamlKey;
  ours: SamlKey;
  stranger: SamlKey;
  /** Two processes of one service. */
  first: Served;
  second: Served;
  /** What the first of them has logged. */
  lines: Record<string, unknown>[];
}

export function useLeaving(harness: Harness) {
  let leaving: Leaving | undefined;
  beforeAll(async () => {
    const { log, lines } = recordingLog('warn');
    const idp = await createSamlIdp();
    leaving = {
      idp,
      theirs: { privateKey: idp.key, certificate: idp.certificate },
      ours: await samlKey('this service'),
      stranger: await samlKey('somebody else'),
      first: await serve({ ...harness.runtime, log }),
      second: await serve(harness.runtime),
      lines,
    };
  });
  afterAll(async () => {
    await leaving?.first[Symbol.asyncDispose]();
    await leaving?.second[Symbol.asyncDispose]();
  });
  const now = (): Leaving => {
    if (!leaving) throw new Error('both begin in beforeAll');
    return leaving;
  };
  const words = (changes: LogoutWords = {}): LogoutWords => ({
    issuer: now().idp.entityId,
    destination: `${ENTITY}/logout`,
    ...changes,
  });

  return {
    now,
    words,
    /** The provider, with single logout. */
    givenProvider: (changes: Record<string, unknown> = {}) => {
      const { idp, ours } = now();
      return givenCorp(harness, idp, {
        logout_url: idp.logoutUrl,
        private_key: ours.privateKey,
        sp_certificate: ours.certificate,
        ...changes,
      });
    },
    /** A signed LogoutRequest. */
    request: (binding: Binding, changes: LogoutWords = {}, posting: Partial<Posting> = {}): Sent =>
      post(binding, 'SAMLRequest', writeLogout('SAMLRequest', words(changes)), {
        key: now().theirs,
        ...posting,
      }),
  };
}

/** Somebody who is known at the provider. */
export async function givenAccount(harness: Harness, subject = ADA): Promise<Account> {
  const { id: userId } = await givenPerson(harness);
  return { userId, identityId: await givenIdentity(harness, { userId, provider: 'corp', subject }) };
}

/** A session that began at the provider. */
export async function givenSession(harness: Harness, account: Account, sid: string): Promise<void> {
  const { userId, identityId } = account;
  const federated = { provider: 'corp', identityId, idpSessionId: sid, idpLogout: true };
  await harness.perform((work) => startSession(work, { userId, lifetimeHours: 1, federated }));
}

/** What the provider calls the sessions that there are. */
export async function sessionsLeft(harness: Harness): Promise<(string | null)[]> {
  const rows = await harness.query<{ sid: string | null }>(
    'select idp_session_id as sid from sessions order by 1',
  );
  return rows.map(({ sid }) => sid);
}

export async function departures(harness: Harness): Promise<Recorded[]> {
  return (await recorded(harness)).filter(({ event_type }) => event_type.startsWith('logout'));
}

/** How a browser brings a message of the provider; from another site, so without a cookie. */
export function bring(
  served: Pick<Served, 'url'>,
  { query, form }: Sent,
  path = '/auth/saml/corp/logout',
): Promise<Visited> {
  const visitor = visit(served);
  return query === undefined ? postAcross(served, visitor, form, { path }) : visitor.get(`${path}?${query}`);
}
