import { LoginRefused } from '#src/sso/login-refused.ts';

/** More levels than any provider nests, and few enough for everything that walks through an answer. */
const DEEPEST = 64;

/** What the provider said, if a database can keep it: well-formed texts without NUL, not too deep. */
export function requireStorable<Value extends object>(value: Value): Value {
  if (!isStorable(value, 0)) throw new LoginRefused('provider_answer_invalid', 'not storable');
  return value;
}

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === DEEPEST) return false;
  return Object.entries(value).every(([key, item]) => isStorableText(key) && isStorable(item, depth + 1));
}

/** An email claim as it was sent, if it can be one. */
export function readEmail(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const email = value.trim();
  return email !== '' && email.length <= 254 && !/[\p{Cc}\s]/u.test(email) && email.includes('@')
    ? email
    : null;
}
