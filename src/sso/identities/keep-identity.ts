import { newId } from '#src/kernel/new-id.ts';
import type { Work } from '#src/kernel/work.ts';
import type { NameIdKind, Identity as Presented } from '#src/sso/connector.ts';
import { tokenPlace } from '#src/sso/identities/token-place.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { User } from '#src/users/user.entity.ts';

export interface StoredIdentity {
  id: string;
  issuer: string | null;
  /** Null: not of SAML, or never told. */
  nameId: NameIdKind | null;
  user: User;
}

/** Locks who this is until the unit of work ends: two first sign-ins of one person stand in a line. */
export async function lookUpIdentity(
  work: Work,
  provider: Provider,
  { subject }: Presented,
): Promise<StoredIdentity | undefined> {
  const known = await readIdentity(work, provider, subject);
  if (known) return known;
  await work.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `identity:${provider.id}:${subject}`,
  ]);
  return readIdentity(work, provider, subject);
}

async function readIdentity(
  work: Work,
  provider: Provider,
  subject: string,
): Promise<StoredIdentity | undefined> {
  const [row] = await work.sql<{ identity: string; issuer: string | null; name_id: NameIdKind | null }>(
    `select i.id as identity, i.issuer, i.name_id, u.id, u.family_id, u.email, u.first_name, u.last_name, u.role, u.suspended_at,
       u.profile, u.created_at, u.updated_at
     from identities i join users u on u.id = i.user_id where i.provider = $1 and i.subject = $2 for update of i`,
    [provider.id, subject],
  );
  if (!row) return undefined;
  const { identity: id, issuer, name_id: nameId, ...columns } = row;
  return { id, issuer, nameId, user: work.em.map(User, columns) };
}

/** Makes the identity of a user who signs in this way for the first time; answers with its id. */
export async function createIdentity(
  work: Work,
  { provider, presented, userId }: { provider: Provider; presented: Presented; userId: string },
): Promise<string> {
  const id = newId();
  await work.sql(
    `insert into identities (id, user_id, provider, subject, issuer, groups, attributes, created_at)
     values ($1, $2, $3, $4, $5, '[]', '{}', $6)`,
    [id, userId, provider.id, presented.subject, presented.issuer, work.now()],
  );
  await refreshIdentity(work, id, presented);
  return id;
}

/** What the provider says today: groups for the next role sync, tokens and names for logging out and asking again. */
export async function refreshIdentity(work: Work, id: string, presented: Presented): Promise<void> {
  const { tokens = {}, email, groups, attributes } = presented;
  const seal = (column: string, token: string | undefined) =>
    token === undefined ? null : work.cipher.seal(token, tokenPlace(id, column));
  await work.sql(
    `update identities set email = $2, groups = $3, attributes = $4, last_used_at = $5, id_token = $6,
       refresh_token = coalesce($7, refresh_token), name_id = $8
     where id = $1`,
    [
      id,
      email,
      JSON.stringify(groups ?? []),
      JSON.stringify(keptAttributes(attributes)),
      work.now(),
      seal('id_token', tokens.idToken),
      seal('refresh_token', tokens.refreshToken),
      tokens.nameId ? JSON.stringify(tokens.nameId) : null,
    ],
  );
}

/** What the provider says when asked again while nobody signs in: groups, and the token for the next time. */
export async function keepAnswer(
  work: Work,
  id: string,
  { groups, attributes, tokens = {} }: Presented,
): Promise<void> {
  const { refreshToken } = tokens;
  await work.sql(
    `update identities set groups = $2, attributes = $3, refresh_token = coalesce($4, refresh_token) where id = $1`,
    [
      id,
      JSON.stringify(groups ?? []),
      JSON.stringify(keptAttributes(attributes)),
      refreshToken === undefined ? null : work.cipher.seal(refreshToken, tokenPlace(id, 'refresh_token')),
    ],
  );
}

const LONGEST_ATTRIBUTES = 16_384;

/** Conditions are judged again at a role sync; an answer too large to keep is judged at the next sign-in only. */
function keptAttributes(attributes: Record<string, unknown>): Record<string, unknown> {
  return JSON.stringify(attributes).length <= LONGEST_ATTRIBUTES ? attributes : {};
}
