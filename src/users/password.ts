import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '#src/kernel/errors.ts';
import { guessable } from '#src/users/guessable-password.ts';
import { throughGate } from '#src/users/hashing-gate.ts';

const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 256;

/** OWASP's parameters for argon2id: memory in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const NONCE_BYTES = 16;

/**
 * Hashes a new password as a PHC string. Throws `validation_failed` when it is too short, too long or easily guessed;
 * `email` is whose it is.
 */
export async function hashPassword(
  password: string,
  { email }: { email?: string | undefined } = {},
): Promise<string> {
  const { length } = password;
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD) {
    throw invalid([`a password must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`]);
  }
  const reason = guessable(password, email);
  if (reason) throw invalid([`this password is easily guessed: ${reason}`]);
  return encode(COST, randomBytes(NONCE_BYTES), password);
}

/**
 * Whether `password` is the one behind `digest`. Without a digest, or with a password that cannot be anybody's, the
 * same work is done and the answer is no, so that nobody learns from the time it takes who exists.
 */
export async function verifyPassword(password: string, digest: string | null): Promise<boolean> {
  const stored = digest === null ? undefined : decode(digest);
  const { cost, nonce, tag } = stored ?? NOBODY;
  const given = password.length <= LONGEST_PASSWORD ? password : '';
  const computed = await compute(cost, nonce, given);
  return timingSafeEqual(computed, tag) && stored !== undefined && given === password;
}

/** Whether a password that has just been verified should be hashed anew, because the cost has changed. */
export function isOutdated(digest: string): boolean {
  const { cost } = decode(digest) ?? NOBODY;
  return cost.memory !== COST.memory || cost.passes !== COST.passes || cost.parallelism !== COST.parallelism;
}

/** The password of a signed-in person, hashed at today's cost; it need not please today's rules. */
export async function rehashPassword(password: string): Promise<string> {
  return encode(COST, randomBytes(NONCE_BYTES), password);
}

interface Stored {
  cost: typeof COST;
  nonce: Buffer;
  tag: Buffer;
}

/** What is computed in vain for those who have no password. */
const NOBODY: Stored = { cost: COST, nonce: randomBytes(NONCE_BYTES), tag: randomBytes(TAG_BYTES) };

const PHC = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function decode(digest: string): Stored | undefined {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(digest) ?? [];
  if (nonce === undefined || tag === undefined) return undefined;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

async function encode(cost: typeof COST, nonce: Buffer, password: string): Promise<string> {
  const tag = await compute(cost, nonce, password);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}

function compute(cost: typeof COST, nonce: Buffer, password: string): Promise<Buffer> {
  const message = password.normalize('NFC');
  return throughGate(() => promisify(argon2)('argon2id', { message, nonce, tagLength: TAG_BYTES, ...cost }));
}

/** Base64 without padding, as PHC strings want it. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
