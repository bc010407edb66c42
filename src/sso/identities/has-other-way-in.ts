export interface WaysIn {
  /** Whether a password opens this user's account under the current settings. */
  passwordWorks: boolean;
  /** Ids of the providers that can be used to sign in. */
  usableProviders: readonly string[];
}

/** Whether somebody can still sign in without this identity (specification, Roles and access). */
export function hasOtherWayIn(
  identities: readonly { id: string; provider: string }[],
  without: string,
  { passwordWorks, usableProviders }: WaysIn,
): boolean {
  return (
    passwordWorks ||
    identities.some(({ id, provider }) => id !== without && usableProviders.includes(provider))
  );
}
