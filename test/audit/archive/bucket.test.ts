import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { archiveAuditEvents } from '#src/audit/archive/archive-audit-events.ts';
import { sha256Of, textFile } from '#src/audit/archive/files/manifest.ts';
import { pruneArchives } from '#src/audit/archive/prune-archives.ts';
import { createBucketTarget } from '#src/audit/archive/targets/create-bucket-target.ts';
import { verifyArchives } from '#src/audit/archive/verify-archives.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { refuse, startBucketServer } from '#test/audit/archive/bucket-server.ts';
import { daysAgo, givenEvents, jobOn, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
useArchive(harness);

const SECRET = 'S3RVER';
let server: Awaited<ReturnType<typeof startBucketServer>>;
beforeAll(async () => {
  server = await startBucketServer();
});
beforeEach(() => {
  server.state.seen.length = 0;
  server.state.meddle = () => false;
});
afterAll(() => server.close());

type Bucket = Config['audit']['bucket'];

function runtimeWith(archive: string, bucket: Partial<Bucket> = {}): Runtime {
  const { config } = harness.runtime;
  const own: Bucket = {
    ...config.audit.bucket,
    endpoint: server.endpoint,
    pathStyle: true,
    region: 'eu-central-1',
    accessKeyId: SECRET,
    secretAccessKey: SECRET,
    ...bucket,
  };
  return {
    ...harness.runtime,
    config: { ...config, audit: { retention: 'extended', archive, bucket: own } },
  };
}

const targetWith = (bucket: Partial<Bucket> = {}, url = 's3://logs/one') =>
  createBucketTarget(url, runtimeWith(url, bucket).config);

const aFile = (content: string, path = `2026/08/${sha256Of(content).slice(0, 8)}`) =>
  textFile(path, content, new Date('2033-08-02T00:00:00Z'));

describe('a bucket', () => {
  test('takes archives, gives them back, and loses them when they are pruned', async () => {
    const [, young] = await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
    const runtime = runtimeWith('s3://logs/whole/');

    const report = await archiveAuditEvents(jobOn(runtime));

    expect(report).toMatchObject({ status: 'ok', deleted: 1, archives: [{ rows: 1 }, { rows: 1 }] });
    expect(await storedIds(harness)).toEqual([young?.id]);
    expect(await verifyArchives(jobOn(runtime))).toMatchObject({
      target: 's3://logs/whole',
      archives: 2,
      problems: [],
      notes: [],
    });
    await pruneArchives(jobOn(runtime));
    expect(await verifyArchives(jobOn(runtime))).toMatchObject({ archives: 1, problems: [], notes: [] });
  });

  test('is asked for encryption and a lock, and for nothing only AWS knows', async () => {
    const target = await targetWith({ encryption: 'aws:kms', kmsKeyId: 'key-1', objectLock: 'compliance' });
    const file = aFile('locked');
    await target.put(file);
    target.close();

    const headers = server.state.seen.find(({ method }) => method === 'PUT')?.headers ?? {};
    expect(headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': '2033-08-02T00:00:00Z',
      'content-md5': expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
      'content-length': '6',
      'if-none-match': '*',
      'x-amz-content-sha256': file.sha256,
    });
    expect(Object.keys(headers).filter((name) => /checksum|trailer|expect/.test(name))).toEqual([]);
  });

  test('is asked for neither where the settings do not', async () => {
    const target = await targetWith();
    await target.put(aFile('plain'));

    const headers = server.state.seen.find(({ method }) => method === 'PUT')?.headers ?? {};
    expect(Object.keys(headers).filter((name) => /encryption|lock|md5/.test(name))).toEqual([]);
  });

  test('is written to once: the same file again is left, another of its name is refused', async () => {
    const target = await targetWith();
    await target.put(aFile('one', '2026/same'));
    await target.put(aFile('one', '2026/same'));

    expect(server.state.seen.map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'HEAD']);
    await expect(target.put(aFile('two', '2026/same'))).rejects.toMatchObject({ code: 'conflict' });
    expect(await text(await target.open('2026/same'))).toBe('one');
  });

  test('need not know conditional writes, and may stumble', async () => {
    const target = await targetWith();
    let stumbles = 0;
    server.state.meddle = ({ method, headers }, response) => {
      if (method !== 'PUT') return false;
      if (headers['if-none-match']) return refuse(response, 501, 'NotImplemented');
      stumbles += 1;
      if (stumbles === 1) return refuse(response, 503, 'SlowDown');
      return stumbles === 2 ? refuse(response, 409, 'ConditionalRequestConflict') : false;
    };
    await target.put(aFile('stumbled'));

    expect(await text(await target.open(aFile('stumbled').path))).toBe('stumbled');
  });

  test('lists what is below its prefix, in order', async () => {
    const target = await targetWith({}, 's3://logs/list');
    for (const path of ['2026/02/b', '2026/01/a', '2025/12/z']) await target.put(aFile('x', path));

    const found = [];
    for await (const { path } of target.list('2026/')) found.push(path);
    expect(found).toEqual(['2026/01/a', '2026/02/b']);
  });

  test('that keeps an object until its time is not asked to remove it', async () => {
    const target = await targetWith();
    await target.put(aFile('kept'));
    server.state.meddle = ({ method }, response) => {
      if (method === 'HEAD')
        response.setHeader('x-amz-object-lock-retain-until-date', '2099-01-01T00:00:00Z');
      return false;
    };

    await expect(target.remove(aFile('kept').path)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('locked in the bucket until 2099-01-01'),
    });
    expect(server.state.seen.map(({ method }) => method)).not.toContain('DELETE');
  });

  test('can be tried out', async () => {
    const target = await targetWith();
    await target.probe();

    expect(server.state.seen.map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'GET', 'HEAD', 'DELETE']);
  });
});

describe('trouble with a bucket', () => {
  test.each([
    [403, 'AccessDenied', 'configuration_invalid'],
    [403, 'SignatureDoesNotMatch', 'configuration_invalid'],
    [404, 'NoSuchBucket', 'configuration_invalid'],
    [400, 'InvalidRequest', 'configuration_invalid'],
    [500, 'InternalError', 'service_unavailable'],
    [409, 'OperationAborted', 'service_unavailable'],
  ])('%i %s is %s', async (status, code, expected) => {
    const target = await targetWith();
    server.state.meddle = (request, response) =>
      request.method === 'HEAD' ? refuse(response, 404, 'NotFound') : refuse(response, status, code);

    const failure = await target.put(aFile(`fails ${code}`)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: expected });
    expect(JSON.stringify([String(failure), failure])).not.toContain(SECRET);
  });

  test('a store that is not there may come back', async () => {
    const target = await targetWith({ endpoint: 'http://127.0.0.1:9' });
    await expect(target.open('2026/x')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('an answer that is something else is not taken for the archive', async () => {
    await givenEvents(harness, [daysAgo(400)]);
    server.state.meddle = ({ method, url = '' }, response) => {
      if (method !== 'GET' || !url.includes('.ndjson.gz')) return false;
      response.end('<html>');
      return true;
    };

    await expect(archiveAuditEvents(jobOn(runtimeWith('s3://logs/html')))).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('not what was stored'),
    });
    expect(await storedIds(harness)).toHaveLength(1);
  });

  test('what is not there is not found', async () => {
    const target = await targetWith();
    await expect(target.open('2026/nothing')).rejects.toMatchObject({ code: 'not_found' });
    await target.remove('2026/nothing');
  });

  test('an answer that breaks off is trouble of the store', async () => {
    const target = await targetWith();
    server.state.meddle = (_, response) => {
      response.writeHead(200, { 'content-length': '1000000' });
      response.write('x'.repeat(1000), () => response.destroy());
      return true;
    };
    await expect(target.open('2026/half').then(text)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
