import { invalid } from '#src/kernel/errors.ts';

/** The address as it is stored: trimmed and in lower case. Throws `validation_failed` when it is none. */
export function requireEmail(value: string): string {
  const email = value.trim().toLowerCase();
  if (email.length > 254 || !/^[^\s@<>()",;:\\]+@[^\s@.<>()",;:\\]+(\.[^\s@.<>()",;:\\]+)*$/.test(email)) {
    throw invalid([`"${value}" is not an email address`]);
  }
  return email;
}
