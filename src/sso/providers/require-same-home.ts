import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { requireAdminsWayIn, type WayInPolicy } from '#src/sso/providers/require-way-in.ts';
import { subjectHome } from '#src/sso/providers/subject-home.ts';

/**
 * Refuses to change whom a provider's subjects belong to while users are linked, unless `force`, and never when no super
 * admin could sign in afterwards. Insisting moves nobody: somebody else may have the same subject there. Links stay
 * and are refused as `issuer_changed`, until the provider is what it was, or users are unlinked and link anew.
 */
export async function requireSameHome(
  work: Work,
  { before, provider }: { before: Provider; provider: Provider },
  policy: WayInPolicy,
  force: boolean,
): Promise<void> {
  const [from, to] = [subjectHome(before), subjectHome(provider)];
  const isMoved = from !== to && to !== null;
  if (!isMoved && !hasOtherTokens(before, provider)) return;
  const [linked] = await work.sql<{ users: number }>(
    `select count(distinct user_id)::integer as users from identities
     where provider = $1 and ($2::text is null or issuer is distinct from $2)`,
    [provider.id, isMoved ? to : null],
  );
  const users = linked?.users ?? 0;
  if (users > 0) {
    if (before.enabled && provider.enabled && !policy.fileEntries) {
      await requireAdminsWayIn(work, before, policy);
    }
    if (!force) throw refusal(before, users);
  }
  if (before.strategy === 'oauth2' && isMoved) await rememberHome(work, provider.id, { from, to });
}

/** Another token endpoint means other tokens; whether its users are the same people, nobody can tell. */
function hasOtherTokens(before: Provider, provider: Provider): boolean {
  return (
    before.strategy === 'oauth2' && provider.strategy === 'oauth2' && before.tokenUrl !== provider.tokenUrl
  );
}

const WHAT: Record<Provider['strategy'], string> = {
  openid_connect: 'another issuer',
  oauth2: 'another token URL, user info URL or attribute of the id',
  saml: 'another entity ID',
};

function refusal({ name, strategy }: Provider, users: number): AppError {
  const who = users === 1 ? '1 user is' : `${users} users are`;
  return new AppError(
    'forbidden',
    `${who} linked with ${name}, and ${WHAT[strategy]} shuts them out until they link anew or it is changed back`,
    {
      hint: 'Add another provider beside it and let them link, or insist (financectl: --force-linked).',
      details: { linked: users },
    },
  );
}

/** OAuth 2.0 names no issuer, so nothing but this note tells the subjects of one address from those of another. */
async function rememberHome(
  work: Work,
  provider: string,
  { from, to }: { from: string | null; to: string | null },
): Promise<void> {
  await work.sql(`update identities set issuer = nullif(coalesce(issuer, $2), $3) where provider = $1`, [
    provider,
    from,
    to,
  ]);
}
