import { randomUUID } from 'node:crypto';
import { textFile } from '#src/audit/archive/files/manifest.ts';
import { readSha256 } from '#src/audit/archive/files/read-sha256.ts';
import type { Bucket } from '#src/audit/archive/targets/bucket.ts';
import { createBucketClient } from '#src/audit/archive/targets/bucket-client.ts';
import { bucketTrouble } from '#src/audit/archive/targets/bucket-trouble.ts';
import { head, openObject, putObject } from '#src/audit/archive/targets/put-object.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import type { Config } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';

/** An S3 bucket, or one of a store that speaks the same. `url`: `s3://bucket/prefix`. */
export async function createBucketTarget(url: string, config: Config): Promise<ArchiveTarget> {
  const [client, sdk] = await Promise.all([createBucketClient(config), import('@aws-sdk/client-s3')]);
  const { hostname, pathname } = new URL(url);
  const folder = pathname.replace(/^\/|\/$/g, '');
  const prefix = folder === '' ? '' : `${folder}/`;
  const bucket: Bucket = {
    client,
    sdk,
    settings: config.audit.bucket,
    name: hostname,
    url: `s3://${hostname}/${prefix}`.replace(/\/$/, ''),
    prefix,
    keyOf: (path) => `${prefix}${path}`,
  };
  const guarded = async <Result>(work: () => Promise<Result>) => {
    try {
      return await work();
    } catch (error) {
      throw bucketTrouble(bucket.url, error);
    }
  };
  return {
    name: bucket.url,
    put: (file) => guarded(() => putObject(bucket, file)),
    open: (path) => guarded(() => openObject(bucket, path)),
    list: (prefix) => listObjects(bucket, prefix),
    remove: (path) => guarded(() => removeObject(bucket, path)),
    probe: () => guarded(() => probe(bucket)),
    // An object is there when all of it is.
    tidy: () => Promise.resolve(),
    close: () => client.destroy(),
  };
}

async function* listObjects(bucket: Bucket, under: string): AsyncGenerator<{ path: string; bytes: number }> {
  const { client, sdk, name, url, prefix, keyOf } = bucket;
  try {
    const pages = sdk.paginateListObjectsV2({ client }, { Bucket: name, Prefix: keyOf(under) });
    for await (const { Contents = [] } of pages) {
      for (const { Key = '', Size = 0 } of Contents) yield { path: Key.slice(prefix.length), bytes: Size };
    }
  } catch (error) {
    throw bucketTrouble(url, error);
  }
}

/** With versions, removing without naming one would only hide the object. */
async function removeObject(bucket: Bucket, path: string): Promise<void> {
  const { client, sdk, name, url, keyOf } = bucket;
  const present = await head(bucket, path);
  if (!present) return;
  const { ObjectLockRetainUntilDate: until, VersionId } = present;
  if (until && until > new Date()) {
    throw new AppError('conflict', `${url}/${path} is locked in the bucket until ${until.toISOString()}`, {
      hint: 'It was locked when it was stored, and can be removed after that.',
    });
  }
  const version = VersionId && VersionId !== 'null' ? { VersionId } : {};
  await client.send(new sdk.DeleteObjectCommand({ Bucket: name, Key: keyOf(path), ...version }));
}

async function probe(bucket: Bucket): Promise<void> {
  const file = textFile(`probe-${randomUUID()}`, 'probe', undefined);
  await putObject(bucket, file);
  try {
    const found = await readSha256(await openObject(bucket, file.path));
    if (found !== file.sha256) throw new Error('what was read back is not what was stored');
  } finally {
    await removeObject(bucket, file.path);
  }
}
