import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import { type SealedProvider, tryOpenProvider } from '#src/sso/providers/seal-provider.ts';
import { subjectHome } from '#src/sso/providers/subject-home.ts';

/** Which passwords count as a way in (specification, Settings). */
export interface LocalLoginPolicy {
  localLogin: boolean;
  adminOverride: boolean;
}

/** Everything that counts as a way in under the current settings. */
export interface WayInPolicy extends LocalLoginPolicy {
  /** Providers of the file, when it is the source in use; undefined: the database is. */
  fileEntries?: readonly ProviderEntry[] | undefined;
}

interface Stranded {
  email: string;
  role: string;
}

/** An identity whose issuer is another one is refused, and opens nothing. */
const HAS_IDENTITY = `exists (
  select 1 from identities i join unnest($1::text[], $2::text[]) as way (provider, home) on way.provider = i.provider
  where i.user_id = u.id and (i.issuer is null or way.home is null or i.issuer = way.home))`;

/**
 * The active users who could not sign in any more without this provider: no password that works under the settings,
 * and no identity at another provider that is enabled and can work.
 */
export async function listStranded(work: Work, provider: string, policy: WayInPolicy): Promise<Stranded[]> {
  const { localLogin, adminOverride } = policy;
  return work.sql<Stranded>(
    `select u.email, u.role from users u
     where u.suspended_at is null
       and exists (select 1 from identities i where i.user_id = u.id and i.provider = $3)
       and not ${HAS_IDENTITY}
       and not (u.password_digest is not null and ($4 or ($5 and u.role = 'super_admin')))
     order by u.email`,
    [...(await listOthers(work, provider, policy)), provider, localLogin, adminOverride],
  );
}

/**
 * Refuses to take away the only way in: of anybody, unless `force`, and never of the last super admins. Nor of
 * everybody: the last provider that works stays while local login is off, unless `force`. Answers with who is left outside.
 */
export async function requireWayIn(
  work: Work,
  { id, name }: { id: string; name: string },
  policy: WayInPolicy,
  force: boolean,
): Promise<string[]> {
  const stranded = await requireAdminsWayIn(work, { id, name }, policy);
  if (force) return stranded;
  if (stranded.length > 0) {
    const shown = stranded.slice(0, 10).join(', ');
    const more = stranded.length > 10 ? ` and ${stranded.length - 10} more` : '';
    throw new AppError('forbidden', `${name} is the only way in for ${shown}${more}`, {
      hint: 'Give them another one first, or insist (financectl: --force-linked).',
      details: { users: stranded },
    });
  }
  if (policy.localLogin || policy.fileEntries) return stranded;
  const [others] = await listOthers(work, id, policy);
  if (others.length === 0) {
    throw new AppError('forbidden', `${name} is the only way in while AUTH_LOCAL_LOGIN_ENABLED is false`, {
      hint: 'Enable another provider or local login first, or insist (financectl: --force-linked).',
    });
  }
  return stranded;
}

/** Refuses to leave no super admin who can sign in. Answers with everybody who could not, without this provider. */
export async function requireAdminsWayIn(
  work: Work,
  { id, name }: { id: string; name: string },
  policy: WayInPolicy,
): Promise<string[]> {
  // Two providers that go at the same moment wait for each other.
  await work.sql('select 1 from sso_providers order by id for update');
  const stranded = await listStranded(work, id, policy);
  if (stranded.some(({ role }) => role === 'super_admin'))
    await requireSuperAdminLeft(work, { id, name }, policy);
  return stranded.map(({ email }) => email);
}

async function requireSuperAdminLeft(
  work: Work,
  { id, name }: { id: string; name: string },
  policy: WayInPolicy,
): Promise<void> {
  const left = await work.sql(
    `select 1 from users u where u.role = 'super_admin' and u.suspended_at is null
       and ((u.password_digest is not null and $3) or ${HAS_IDENTITY})
     limit 1`,
    [...(await listOthers(work, id, policy)), policy.localLogin || policy.adminOverride],
  );
  if (left.length > 0) return;
  throw new AppError('forbidden', `Without ${name} no super admin could sign in any more`, {
    hint: 'Give one a password first (financectl users set-password), with local login or the admin override on.',
  });
}

/** Ids of the other providers that people can sign in with now, and whom their subjects belong to. */
async function listOthers(
  work: Work,
  id: string,
  { fileEntries }: WayInPolicy,
): Promise<[ids: string[], homes: (string | null)[]]> {
  const providers = fileEntries
    ? fileEntries.flatMap(({ provider }) => provider ?? [])
    : (await work.sql<SealedProvider>(STORED)).flatMap((row) => tryOpenProvider(work.cipher, row) ?? []);
  const others = providers.filter((provider) => provider.enabled && provider.id !== id);
  return [others.map((provider) => provider.id), others.map(subjectHome)];
}

const STORED = 'select id, name, strategy, label, enabled, settings, secrets from sso_providers';
