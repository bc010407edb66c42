import { runStatement } from '#src/kernel/statement.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Role } from '#src/users/role.ts';

/** Somebody who is signed in, as the database knows them at this moment. */
export interface SignedIn {
  sessionId: string;
  userId: string;
  familyId: string;
  email: string;
  name: string | null;
  role: Role;
  /** Whether there is a password to change. */
  hasPassword: boolean;
  /** The id of the identity provider the session came through; null for a password. */
  provider: string | null;
  identityId: string | null;
  /** Whether that provider wants to know when the user leaves. */
  idpLogout: boolean;
}

/** Noted at most once a minute, in the same round trip. */
const LOOK_UP = {
  name: 'look_up_session',
  text: `with live as (
  select s.id, s.last_seen_at, s.user_id, s.provider, s.identity_id, s.idp_logout, u.family_id, u.email, u.role, u.password_digest is not null as has_password,
    nullif(concat_ws(' ', u.first_name, u.last_name), '') as name
  from sessions s join users u on u.id = s.user_id
  where s.digest = $1 and s.expires_at > now() and s.last_seen_at > now() - make_interval(mins => $2::integer)
    and u.suspended_at is null
), seen as (
  update sessions set last_seen_at = now()
  where id = (select id from live where last_seen_at < now() - interval '1 minute')
)
select * from live`,
};

type Row = Record<'id' | 'user_id' | 'family_id' | 'email' | 'has_password' | 'idp_logout', string> &
  Record<'name' | 'provider' | 'identity_id', string | null> & { role: Role };

/** Whose session a cookie's token is: undefined when it ended, idled away, or its user may not come in. */
export async function lookUpSession({ pool, config }: Runtime, token: string): Promise<SignedIn | undefined> {
  const digest = tokenDigest(token);
  if (!digest) return undefined;
  const statement = config.database.namedStatements ? LOOK_UP : { ...LOOK_UP, name: '' };
  const [row] = await runStatement<Row>(pool, statement, [digest, config.session.idleMinutes]);
  if (!row) return undefined;
  return {
    sessionId: row.id,
    userId: row.user_id,
    familyId: row.family_id,
    email: row.email,
    name: row.name,
    role: row.role,
    hasPassword: row.has_password === 't',
    provider: row.provider,
    identityId: row.identity_id,
    idpLogout: row.idp_logout === 't',
  };
}
