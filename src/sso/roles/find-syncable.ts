import { didYouMean } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { tokenPlace } from '#src/sso/identities/token-place.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import { findUser } from '#src/users/find-user.ts';

/** An identity whose groups decide a role, with what its provider said last. */
export interface Syncable {
  userId: string;
  email: string;
  provider: Provider;
  identity: {
    id: string;
    subject: string;
    issuer: string | null;
    groups: string[];
    attributes: Record<string, unknown>;
    refreshToken: string | undefined;
    lastUsedAt: Date | null;
  };
}

interface Row {
  id: string;
  provider: string;
  subject: string;
  issuer: string | null;
  groups: string[];
  attributes: Record<string, unknown>;
  refresh_token: string | null;
  last_used_at: string | null;
}

/**
 * The identity that the user signed in with last, at the provider of this name or at any that can be used. Throws
 * `conflict` when there is none.
 */
export async function findSyncable(
  work: Work,
  entries: readonly ProviderEntry[],
  { user: reference, provider: name }: { user: string; provider?: string | undefined },
): Promise<Syncable> {
  const { id: userId, email } = await findUser(work, reference);
  const wanted = name === undefined ? undefined : findNamed(entries, name);
  const rows = await work.sql<Row>(
    `select id, provider, subject, issuer, groups, attributes, refresh_token, last_used_at from identities
     where user_id = $1 and ($2::text is null or provider = $2) order by last_used_at desc nulls last, id desc`,
    [userId, wanted?.id ?? null],
  );
  if (rows.length === 0) {
    throw new AppError('conflict', `${email} is not connected with ${name ?? 'an identity provider'}`, {
      hint: 'Roles come from the groups of whoever signs in through one.',
    });
  }
  for (const row of rows) {
    const provider = usable(entries.find(({ id }) => id === row.provider));
    if (provider) return { userId, email, provider, identity: toIdentity(work, row) };
  }
  throw new AppError(
    'conflict',
    `${email} is connected only with providers that are disabled or cannot work`,
  );
}

/** Emails of everybody whose role could be synced, with the provider of this name or any. */
export async function listSyncable(
  work: Work,
  entries: readonly ProviderEntry[],
  name?: string,
): Promise<string[]> {
  const wanted = name === undefined ? entries : [findNamed(entries, name)];
  const rows = await work.sql<{ email: string }>(
    `select email from users u where exists (
       select 1 from identities i where i.user_id = u.id and i.provider = any($1)) order by email`,
    [wanted.map(({ id }) => id)],
  );
  return rows.map(({ email }) => email);
}

function findNamed(entries: readonly ProviderEntry[], name: string): ProviderEntry {
  const entry = entries.find((each) => each.name === name);
  if (entry) return entry;
  const known = entries.map((each) => each.name);
  throw new AppError('not_found', `No provider is named "${name}"`, { hint: didYouMean(name, known) });
}

function usable(entry: ProviderEntry | undefined): Provider | undefined {
  return entry?.enabled ? entry.provider : undefined;
}

function toIdentity({ cipher }: Work, row: Row): Syncable['identity'] {
  const { id, subject, issuer, groups, attributes } = row;
  const sealed = row.refresh_token;
  return {
    id,
    subject,
    issuer,
    groups,
    attributes,
    refreshToken: sealed === null ? undefined : cipher.open(sealed, tokenPlace(id, 'refresh_token')),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  };
}
