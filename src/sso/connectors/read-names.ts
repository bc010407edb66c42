interface NameClaims {
  firstName: unknown;
  lastName: unknown;
  /** The whole name, where the provider has no parts of it. */
  name: unknown;
}

const LONGEST = 100;

/** First and last name from whatever a provider sends; a whole name is parted at its first blank. */
export function readNames(claims: NameClaims): { firstName: string | null; lastName: string | null } {
  const firstName = readName(claims.firstName);
  const lastName = readName(claims.lastName);
  if (firstName !== null || lastName !== null) return { firstName, lastName };

  const [first = null, ...rest] = readName(claims.name)?.split(' ') ?? [];
  return { firstName: first, lastName: rest.join(' ') || null };
}

function readName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
  return name === '' ? null : name;
}
