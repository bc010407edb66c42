/** A moment as programs read it. */
export function iso(value: Date | string | null): string | null {
  return value === null ? null : new Date(value).toISOString();
}

/** A moment as people read it: UTC, to the minute. */
export function shortTime(value: Date | string | null, none = '-'): string {
  return iso(value)?.slice(0, 16).replace('T', ' ') ?? none;
}
