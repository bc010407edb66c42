/** Milliseconds by which clocks may differ. */
export const SKEW = 60_000;

/** Milliseconds; an older message was kept somewhere on the way. */
export const LONGEST_AGE = 5 * 60_000;

/** Milliseconds of an `xs:dateTime`, which is in UTC when it says nothing else (SAML Core, section 1.3.3). */
export function readTime(text: string | undefined): number | undefined {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)?$/.exec(text ?? '');
  const time = found ? Date.parse(`${found[1]}${found[2] ?? 'Z'}`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
