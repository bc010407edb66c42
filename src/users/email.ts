import { domainToASCII } from 'node:url';
import { invalid } from '#src/kernel/errors.ts';

/**
 * The address as it is looked up: trimmed, A to Z in lower case, the domain in ASCII (IDNA), so that one mailbox is
 * one account however it is written. Other letters before the @ stay as they are, because Unicode folds different
 * mailboxes into one (the Kelvin sign into a k).
 */
export function normalizeEmail(value: string): string {
  const email = value.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  return at === 0 || isAscii(domain) ? email : email.slice(0, at) + (asciiDomain(domain) || domain);
}

/** The address as it is stored. Throws `validation_failed` when it is none, or has capitals beyond A to Z. */
export function requireEmail(value: string): string {
  const email = normalizeEmail(value);
  if (
    email.length > 254 ||
    email !== email.toLowerCase() ||
    !/^[^\s@<>()",;:\\]+@[^\s@.<>()",;:\\]+(\.[^\s@.<>()",;:\\]+)*$/.test(email) ||
    !isAscii(email.slice(email.lastIndexOf('@')))
  ) {
    throw invalid([`"${value}" is not an email address`]);
  }
  return email;
}

/**
 * A domain name in ASCII and lower case; empty for what is none: `domainToASCII` reads like a URL and would stop at a
 * slash or drop a port.
 */
export function asciiDomain(domain: string): string {
  return /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)*$/u.test(domain) ? domainToASCII(domain) : '';
}

function isAscii(text: string): boolean {
  return /^[!-~]*$/.test(text);
}
