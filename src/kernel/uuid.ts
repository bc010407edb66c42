const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` is a UUID in its canonical form, 8-4-4-4-12, in either case (RFC 9562, section 4). */
export function isUuid(text: string): boolean {
  return CANONICAL.test(text);
}

/** Belongs to nothing: stands in for malformed ids, so that the reader's right is still checked first. */
export const NO_UUID = '00000000-0000-0000-0000-000000000000';
