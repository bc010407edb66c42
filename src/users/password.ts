import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '#src/kernel/errors.ts';

const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 256;

/** OWASP's parameters for argon2id: memory in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

/** Hashes a new password as a PHC string. Throws `validation_failed` when it is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  const { length } = password;
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD) {
    throw invalid([`a password must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`]);
  }
  const nonce = randomBytes(16);
  const tag = await promisify(argon2)('argon2id', {
    message: password.normalize('NFC'),
    nonce,
    tagLength: 32,
    ...COST,
  });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** Base64 without padding, as PHC strings want it. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
