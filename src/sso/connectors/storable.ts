import { LoginRefused } from '#src/sso/login-refused.ts';

/** What the provider said, if a database can keep it: no text holds NUL. */
export function requireStorable<Value extends object>(value: Value): Value {
  if (holdsNul(value)) throw new LoginRefused('provider_answer_invalid', 'NUL');
  return value;
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.includes('\0') || holdsNul(item));
}

/** An email claim as it was sent, if it can be one. */
export function readEmail(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const email = value.trim();
  return email !== '' && email.length <= 254 && !/[\p{Cc}\s]/u.test(email) && email.includes('@')
    ? email
    : null;
}
