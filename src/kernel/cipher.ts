import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { EncryptionConfig } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Where a secret is stored. What is sealed for one place cannot be opened at another. */
export interface Place {
  table: string;
  column: string;
  row: string;
}

/** Encrypts secrets at rest: AES-256-GCM (decisions, section 5). */
export interface Cipher {
  seal(secret: string, place: Place): string;
  /** Throws `configuration_invalid` when the right key is not there, or the text has been changed or moved. */
  open(sealed: string, place: Place): string;
  /** Whether `seal` would use the same key today. */
  isCurrent(sealed: string): boolean;
}

interface Key {
  /** Tells which key was used without saying anything about it. */
  id: string;
  bytes: Buffer;
}

const SHAPE = /^v1\.([0-9a-f]{12})\.([A-Za-z0-9_-]{38,})$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals with the first primary key, or with a key derived from the secret key base when there is none. Opens with all
 * of them; with the derived one too, so that keys can be introduced later.
 */
export function createCipher(config: EncryptionConfig | undefined, secretKeyBase: () => string): Cipher {
  const primary = (config?.primaryKeys ?? []).map((secret) => deriveKey(secret, config?.salt ?? ''));
  let derived: Key | undefined;
  const deriveFromBase = () => (derived ??= deriveKey(secretKeyBase(), ''));
  const current = () => primary[0] ?? deriveFromBase();

  const findKey = (id: string): Key | undefined => {
    const key = primary.find((candidate) => candidate.id === id);
    if (key || (config && !isAvailable(secretKeyBase))) return key;
    const last = deriveFromBase();
    return last.id === id ? last : undefined;
  };

  return {
    seal: (secret, place) => {
      const { id, bytes } = current();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(describePlace(id, place));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `v1.${id}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open: (sealed, place) => {
      const [, id = '', payload = ''] = SHAPE.exec(sealed) ?? [];
      if (id === '') throw refuse(place, 'is not encrypted as it should be');
      const key = findKey(id);
      if (!key) throw refuse(place, `was encrypted with another key (${id})`);
      return decrypt(key, Buffer.from(payload, 'base64url'), place);
    },
    isCurrent: (sealed) => SHAPE.exec(sealed)?.[1] === current().id,
  };
}

function decrypt({ id, bytes }: Key, payload: Buffer, place: Place): string {
  const decipher = createDecipheriv('aes-256-gcm', bytes, payload.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(describePlace(id, place))
    .setAuthTag(payload.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const text = decipher.update(payload.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (cause) {
    throw refuse(place, 'has been changed, or moved from where it was stored', cause);
  }
}

function deriveKey(secret: string, salt: string): Key {
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `finance-server ${purpose}`, length));
  return { id: derive('encryption key id', 6).toString('hex'), bytes: derive('encryption', 32) };
}

function describePlace(keyId: string, { table, column, row }: Place): Buffer {
  return Buffer.from(JSON.stringify(['v1', keyId, table, column, row]));
}

function isAvailable(secretKeyBase: () => string): boolean {
  try {
    return secretKeyBase() !== '';
  } catch {
    return false;
  }
}

function refuse({ table, column, row }: Place, why: string, cause?: unknown): AppError {
  return new AppError('configuration_invalid', `A stored secret (${column} of ${row} in ${table}) ${why}`, {
    hint: 'Set the keys it was encrypted with: SECRET_KEY_BASE, or the ACTIVE_RECORD_ENCRYPTION_ ones. financectl keys check tells more.',
    cause,
  });
}
