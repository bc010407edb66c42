import { invalid } from '#src/kernel/errors.ts';

/**
 * The address as it is looked up: trimmed, A to Z in lower case. Other letters stay as they are, because Unicode folds
 * different mailboxes into one (the Kelvin sign into a k).
 */
export function normalizeEmail(value: string): string {
  return value.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The address as it is stored. Throws `validation_failed` when it is none, or has capitals beyond A to Z. */
export function requireEmail(value: string): string {
  const email = normalizeEmail(value);
  if (
    email.length > 254 ||
    email !== email.toLowerCase() ||
    !/^[^\s@<>()",;:\\]+@[^\s@.<>()",;:\\]+(\.[^\s@.<>()",;:\\]+)*$/.test(email)
  ) {
    throw invalid([`"${value}" is not an email address`]);
  }
  return email;
}
