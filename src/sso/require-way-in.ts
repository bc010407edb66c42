import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';

/** Which passwords count as a way in (specification, Settings). */
export interface LocalLoginPolicy {
  localLogin: boolean;
  adminOverride: boolean;
}

interface Stranded {
  email: string;
  role: string;
}

/**
 * The active users who could not sign in any more without this provider: no password that works under the settings,
 * and no identity at another provider that is enabled.
 */
export async function listStranded(
  work: Work,
  provider: string,
  { localLogin, adminOverride }: LocalLoginPolicy,
): Promise<Stranded[]> {
  return work.sql<Stranded>(
    `select u.email, u.role from users u
     where u.suspended_at is null
       and exists (select 1 from identities i where i.user_id = u.id and i.provider = $1)
       and not exists (
         select 1 from identities i join sso_providers p on p.id = i.provider and p.enabled and p.strategy <> 'saml'
         where i.user_id = u.id and i.provider <> $1)
       and not (u.password_digest is not null and ($2 or ($3 and u.role = 'super_admin')))
     order by u.email`,
    [provider, localLogin, adminOverride],
  );
}

/**
 * Refuses to take away the only way in: of anybody, unless `force`, and never of the last super admins. Nor of
 * everybody: the last enabled provider stays while local login is off, unless `force`. Answers with who is left outside.
 */
export async function requireWayIn(
  work: Work,
  { id, name }: { id: string; name: string },
  policy: LocalLoginPolicy,
  force: boolean,
): Promise<string[]> {
  // Two providers that go at the same moment wait for each other.
  await work.sql('select 1 from sso_providers order by id for update');
  const stranded = await listStranded(work, id, policy);
  if (stranded.some(({ role }) => role === 'super_admin'))
    await requireSuperAdminLeft(work, name, policy, stranded);
  const emails = stranded.map(({ email }) => email);
  if (force) return emails;
  if (emails.length > 0) {
    const shown = emails.slice(0, 10).join(', ');
    const more = emails.length > 10 ? ` and ${emails.length - 10} more` : '';
    throw new AppError('forbidden', `${name} is the only way in for ${shown}${more}`, {
      hint: 'Give them another one first, or insist (financectl: --force-linked).',
      details: { users: emails },
    });
  }
  if (!policy.localLogin && !(await hasOtherProvider(work, id))) {
    throw new AppError('forbidden', `${name} is the only way in while AUTH_LOCAL_LOGIN_ENABLED is false`, {
      hint: 'Enable another provider or local login first, or insist (financectl: --force-linked).',
    });
  }
  return emails;
}

async function requireSuperAdminLeft(
  work: Work,
  name: string,
  { localLogin, adminOverride }: LocalLoginPolicy,
  stranded: readonly Stranded[],
): Promise<void> {
  const left = await work.sql(
    `select 1 from users u where u.role = 'super_admin' and u.suspended_at is null and u.email <> all($1)
       and ((u.password_digest is not null and ($2 or $3)) or exists (
         select 1 from identities i join sso_providers p on p.id = i.provider and p.enabled and p.strategy <> 'saml' where i.user_id = u.id))
     limit 1`,
    [stranded.map(({ email }) => email), localLogin, adminOverride],
  );
  if (left.length > 0) return;
  throw new AppError('forbidden', `Without ${name} no super admin could sign in any more`, {
    hint: 'Give one a password first (financectl users set-password), with local login or the admin override on.',
  });
}

async function hasOtherProvider(work: Work, id: string): Promise<boolean> {
  return (
    (
      await work.sql(
        `select 1 from sso_providers where enabled and strategy <> 'saml' and id <> $1 limit 1`,
        [id],
      )
    ).length > 0
  );
}
