import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { HeadObjectCommandOutput, PutObjectCommandInput } from '@aws-sdk/client-s3';
import { readSha256 } from '#src/audit/archive/files/read-sha256.ts';
import type { Bucket } from '#src/audit/archive/targets/bucket.ts';
import { bucketTrouble, isMissing, statusOf } from '#src/audit/archive/targets/bucket-trouble.ts';
import type { StoredFile } from '#src/audit/archive/targets/target.ts';
import { AppError } from '#src/kernel/errors.ts';

const PUT_ATTEMPTS = 3;

/** Stores a file once: what is there already with the same content is left, with another it is a `conflict`. */
export async function putObject(bucket: Bucket, file: StoredFile): Promise<void> {
  const present = await head(bucket, file.path);
  if (present) return requireSame(bucket, file, present);
  const lock = await lockOf(bucket, file);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await putOnce(bucket, file, lock);
    } catch (error) {
      // A body that has been read cannot be sent again by the SDK.
      const status = statusOf(error);
      const mayPass = status === 0 || status >= 500 || status === 409 || status === 429;
      if (!mayPass || attempt === PUT_ATTEMPTS || error instanceof AppError) throw error;
    }
  }
}

async function putOnce(
  bucket: Bucket,
  file: StoredFile,
  lock: Partial<PutObjectCommandInput>,
): Promise<void> {
  const request = { ...requestFor(bucket, file), ...lock };
  try {
    await send(bucket, file, { ...request, IfNoneMatch: '*' });
  } catch (error) {
    const status = statusOf(error);
    // Somebody was quicker with the same; names hold a hash of the content.
    if (status === 412 || status === 409) {
      const present = await head(bucket, file.path);
      if (!present) throw error;
      return requireSame(bucket, file, present);
    }
    if (status !== 501) throw error;
    await send(bucket, file, request);
  }
}

/** The payload's hash is signed along, so the store notices what the way there has changed. */
async function send(
  { client, sdk }: Bucket,
  file: StoredFile,
  request: PutObjectCommandInput,
): Promise<void> {
  const command = new sdk.PutObjectCommand({ ...request, Body: file.read() });
  command.middlewareStack.add(
    (next) => (step) => {
      const { request } = step;
      if (hasHeaders(request)) request.headers['x-amz-content-sha256'] = file.sha256;
      return next(step);
    },
    { step: 'build', name: 'payloadHash' },
  );
  await client.send(command);
}

function hasHeaders(request: unknown): request is { headers: Record<string, string> } {
  return typeof request === 'object' && request !== null && 'headers' in request;
}

function requestFor({ name, settings, keyOf }: Bucket, file: StoredFile): PutObjectCommandInput {
  return {
    Bucket: name,
    Key: keyOf(file.path),
    ContentLength: file.bytes,
    ContentType: 'application/octet-stream',
    Metadata: { sha256: file.sha256 },
    ...(settings.encryption && { ServerSideEncryption: settings.encryption }),
    ...(settings.encryption === 'aws:kms' && settings.kmsKeyId && { SSEKMSKeyId: settings.kmsKeyId }),
  };
}

/** S3 demands an MD5 with a request that locks. */
async function lockOf({ settings }: Bucket, file: StoredFile): Promise<Partial<PutObjectCommandInput>> {
  if (settings.objectLock === 'off' || !file.keepUntil) return {};
  const md5 = createHash('md5');
  for await (const chunk of file.read()) md5.update(chunk);
  return {
    ObjectLockMode: settings.objectLock === 'governance' ? 'GOVERNANCE' : 'COMPLIANCE',
    ObjectLockRetainUntilDate: file.keepUntil,
    ContentMD5: md5.digest('base64'),
  };
}

/** What the store says about an object; undefined when there is none. */
export async function head(
  { client, sdk, name, keyOf }: Bucket,
  path: string,
): Promise<HeadObjectCommandOutput | undefined> {
  try {
    return await client.send(new sdk.HeadObjectCommand({ Bucket: name, Key: keyOf(path) }));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function requireSame(
  bucket: Bucket,
  file: StoredFile,
  present: HeadObjectCommandOutput,
): Promise<void> {
  if (present.Metadata?.sha256 === file.sha256 && present.ContentLength === file.bytes) return;
  if ((await readSha256(await openObject(bucket, file.path))) === file.sha256) return;
  throw new AppError('conflict', `the bucket has another object of this name: ${bucket.url}/${file.path}`, {
    hint: 'Move it away and look at who has written it; nothing is overwritten.',
  });
}

/** Its content; trouble on the way is told as any other of the store. */
export async function openObject({ client, sdk, name, url, keyOf }: Bucket, path: string): Promise<Readable> {
  const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: name, Key: keyOf(path) }));
  if (!(Body instanceof Readable)) throw new Error('the store has sent no content');
  const told = Readable.from(withTrouble(url, Body), { objectMode: false, highWaterMark: 65_536 });
  return told.once('close', () => Body.destroy());
}

/** What breaks off is trouble of the store as well. */
async function* withTrouble(url: string, body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw bucketTrouble(url, error);
  }
}
