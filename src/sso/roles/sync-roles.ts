import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { refreshingConnectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { keepAnswer } from '#src/sso/identities/keep-identity.ts';
import { isOutage, LoginRefused } from '#src/sso/login-refused.ts';
import { findSyncable, type Syncable } from '#src/sso/roles/find-syncable.ts';
import type { Said } from '#src/sso/roles/map-roles.ts';
import { syncRole } from '#src/sso/roles/sync-role.ts';
import type { Role } from '#src/users/role.ts';
import { User } from '#src/users/user.entity.ts';

/** One unit of work in the name of whoever asks. */
type Run = <Result>(task: (work: Work) => Promise<Result>) => Promise<Result>;

export interface RoleSyncRequest {
  /** Email or id. */
  user: string;
  /** Name of the provider; default: the usable one that the user signed in with last. */
  provider?: string | undefined;
  /** Whether providers may be asked again; what is only rehearsed must not use up a refresh token. */
  ask: boolean;
}

export interface SyncedRole {
  userId: string;
  email: string;
  /** Name of the provider. */
  provider: string;
  old: Role;
  new: Role;
  /** The role should have changed, but this is the last active super admin. */
  kept: boolean;
  /** Whether the provider was asked again, or what it said at the last sign-in counts. */
  from: 'provider' | 'last_sign_in';
  /** Null: none were sent. */
  groups: readonly string[] | null;
  /** When the provider said so. Null: never since the account was connected. */
  saidAt: Date | null;
}

/**
 * Recomputes a user's role from the provider's groups (decisions, section 3, Sync Roles from SSO). The provider is asked
 * outside of any transaction. Throws `conflict` for somebody without a usable identity, `service_unavailable` when the
 * provider does not answer.
 */
export async function syncRoles(
  federation: Federation,
  run: Run,
  { ask, ...wanted }: RoleSyncRequest,
): Promise<SyncedRole> {
  const entries = await federation.source.list();
  const syncable = await run((work) => findSyncable(work, entries, wanted));
  const { userId, email, provider, identity } = syncable;

  const fresh = ask ? await askAgain(federation, run, syncable) : undefined;
  const said = fresh ?? { groups: identity.groups, attributes: identity.attributes };
  const sync = await run(async (work) => {
    await work.sql('select 1 from users where id = $1 for update', [userId]);
    const user = await work.em.findOneOrFail(User, { id: userId });
    return syncRole(work, user, provider, said);
  });
  return {
    userId,
    email,
    provider: provider.name,
    ...sync,
    from: fresh ? 'provider' : 'last_sign_in',
    groups: said.groups,
    saidAt: fresh ? federation.runtime.now() : identity.lastUsedAt,
  };
}

/** Undefined when there is nothing to ask with any more: a refresh token ends without anybody doing wrong. */
async function askAgain(
  { runtime, access }: Federation,
  run: Run,
  { email, provider, identity }: Syncable,
): Promise<Said | undefined> {
  const { refreshToken } = identity;
  const connector = refreshingConnectorFor(provider, access);
  if (!connector || refreshToken === undefined) return undefined;
  try {
    const answer = await connector.refresh({ refreshToken, subject: identity.subject });
    if (identity.issuer !== null && answer.issuer !== null && answer.issuer !== identity.issuer)
      throw new LoginRefused('issuer_changed');
    // By itself: the token that was used up must not come back when the role cannot be changed.
    await run((work) => keepAnswer(work, identity.id, answer));
    return answer;
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    runtime.log.info({ provider: provider.name, reason: error.reason }, 'role_sync_refused');
    if (error.reason === 'refresh_refused') return undefined;
    throw new AppError(
      isOutage(error) ? 'service_unavailable' : 'conflict',
      `${provider.name} was asked about ${email}: ${error.message.replace(/\.$/, '')}`,
    );
  }
}
