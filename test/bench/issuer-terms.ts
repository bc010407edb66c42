/** What the bench's OpenID provider and its two clients have agreed on. */
export const CLIENT_ID = 'finance';
export const CLIENT_SECRET = 'only-for-this-benchmark';

/** What the provider calls the person of this number, from 0. */
export function subjectOf(person: number): string {
  return `oidc${person + 1}`;
}

/** How often the provider was asked for what. */
export interface IssuerRequests {
  discovery: number;
  keys: number;
  token: number;
  userInfo: number;
}
