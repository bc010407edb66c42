import type { KnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';

const FRESH = 15 * 60_000;
const SHORTEST = 60_000;
/** After a failure. */
const RETRY = 60_000;

/** Whether it serves without asking again: for 15 minutes, or shorter where the provider says so, never under one. */
export function isFresh({ metadata, fetchedAt, checkedAt, problem }: KnownMetadata, now: Date): boolean {
  const wanted = Math.max(SHORTEST, metadata.cacheDuration ?? FRESH);
  const [since, life] = problem === undefined ? [fetchedAt, Math.min(FRESH, wanted)] : [checkedAt, RETRY];
  const age = now.getTime() - since.getTime();
  // A clock that was ahead once does not make it last.
  return age < life && age > -SHORTEST && !hasExpired(metadata, now);
}

export function hasExpired({ validUntil }: Pick<IdpMetadata, 'validUntil'>, now: Date): boolean {
  return validUntil !== undefined && validUntil <= now;
}
