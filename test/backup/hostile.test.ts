import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { verifyBackup } from '#src/backup/verify-backup.ts';
import {
  backUp,
  contentOf,
  forge,
  repack,
  restoreTo,
  streamOf,
  type TarPart,
  unpack,
} from '#test/backup/support.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, givenStatement } from '#test/support/given.ts';

const harness = useRuntime();

let good: Buffer = Buffer.alloc(0);
beforeEach(async () => {
  const { familyId } = await givenHousehold(harness);
  // What each test holds is there to be left alone; the backup is made once.
  if (good.length > 0) return;
  const { id } = await givenAccount(harness, { familyId });
  await givenStatement(harness, { familyId, id }, [
    ['2026-01-01', '-1.00', 'coffee'],
    ['2026-01-02', '-2.00', 'tea'],
  ]);
  good = await backUp(harness.runtime);
});

/** It is refused by a check and by a restore, and what the database held is there afterwards. */
async function expectRefused(file: Buffer, message: RegExp): Promise<void> {
  const before = await contentOf(harness);
  const refusal = { code: 'validation_failed', message: expect.stringMatching(message) };
  await expect(verifyBackup(streamOf(file))).rejects.toMatchObject(refusal);
  await expect(restoreTo(harness.runtime, file, { replace: true })).rejects.toMatchObject(refusal);
  expect(await contentOf(harness)).toEqual(before);
}

/** Only a restore can know that it is wrong. */
async function expectRefusedByRestore(file: Buffer, message: RegExp): Promise<void> {
  const before = await contentOf(harness);
  await verifyBackup(streamOf(file));
  await expect(restoreTo(harness.runtime, file, { replace: true })).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringMatching(message),
  });
  expect(await contentOf(harness)).toEqual(before);
}

const editManifest = (change: (manifest: Record<string, never>) => void) =>
  forge(good, ({ header, content }) => {
    if (header.name !== 'manifest.json') return undefined;
    const manifest = JSON.parse(content.toString());
    change(manifest);
    return Buffer.from(JSON.stringify(manifest));
  });

const repacked = async (change: (parts: TarPart[]) => TarPart[]) => repack(change(await unpack(good)));

const withPart = (header: TarPart['header']) =>
  repacked((parts) => [...parts.slice(0, 1), { header, content: Buffer.from('x') }, ...parts.slice(1)]);

describe('a file that is no backup', () => {
  test.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['gzip of something else', gzipSync('hello')],
    ['gzip of nothing', gzipSync('')],
  ])('%s', (_, file) => expectRefused(file, /not a backup|ends too early/));

  test('another tar archive', async () => {
    await expectRefused(
      await repack([{ header: { name: 'readme.txt' }, content: Buffer.from('hello') }]),
      /not a backup: it holds "readme.txt"/,
    );
  });

  test('a later format', async () => {
    const later = await editManifest((manifest) => Object.assign(manifest, { format_version: 2 }));
    await expectRefused(later, /format 2/);
  });
});

describe('a backup that was damaged', () => {
  test('cut off anywhere', async () => {
    for (const share of [0.05, 0.5, 0.9, 0.999]) {
      await expectRefused(good.subarray(0, Math.floor(good.length * share)), /damaged|not a backup/);
    }
  });

  test('one byte changed anywhere', async () => {
    for (let at = 20; at < good.length; at += Math.ceil(good.length / 8)) {
      const file = Buffer.from(good);
      file.writeUInt8(file.readUInt8(at) ^ 1, at);
      // A manifest that reads like that of a later release is refused before its checksum is known.
      await expectRefused(file, /damaged|not a backup|has format|is newer/);
    }
  });

  test('one byte changed, and compressed again', async () => {
    const file = await repacked((parts) => {
      const entries = parts.find(({ header }) => header.name.startsWith('tables/entries/'));
      entries?.content.write('tee', entries.content.indexOf('tea'));
      return parts;
    });
    await expectRefused(file, /entries\/00001.copy has been changed/);
  });

  test.each([
    ['a part is missing', (parts: TarPart[]) => parts.filter(({ header }) => !/entries/.test(header.name))],
    [
      'a part is there twice',
      (parts: TarPart[]) => parts.flatMap((part) => (/users/.test(part.header.name) ? [part, part] : part)),
    ],
    [
      'the parts are in another order',
      (parts: TarPart[]) => [...parts.slice(0, 1), ...parts.slice(1, -1).toReversed(), ...parts.slice(-1)],
    ],
    ['the checksums are missing', (parts: TarPart[]) => parts.slice(0, -1)],
    ['something follows', (parts: TarPart[]) => [...parts, ...parts.slice(1, 2)]],
    ['the manifest is not first', (parts: TarPart[]) => parts.slice(1)],
  ])('%s', async (_, change) => {
    await expectRefused(await repacked(change), /damaged|not a backup/);
  });
});

describe('a backup made to do harm', () => {
  test.each([
    '../../etc/passwd',
    '/etc/passwd',
    'tables/../../x/00001.copy',
    'tables/users/00001.copy/../x',
    'tables/Users; drop table users/00001.copy',
  ])('a part named %s', async (name) => {
    await expectRefused(await withPart({ name }), /not a backup: it holds/);
  });

  test('a link', async () => {
    const link = { name: 'tables/users/00001.copy', type: 'symlink' as const, linkname: '/etc/passwd' };
    await expectRefused(await withPart(link), /symlink/);
  });

  test('documents without end', async () => {
    const endless = { header: { name: 'manifest.json' }, content: Buffer.alloc(5 * 1024 * 1024, ' ') };
    await expectRefused(await repack([endless]), /manifest.json is too large/);
  });

  test('parts without end', async () => {
    const crumb = { header: { name: 'tables/entries/00001.copy' }, content: Buffer.alloc(0) };
    const file = await repacked((parts) => [
      ...parts.slice(0, 1),
      ...Array.from({ length: 1_002 }, () => crumb),
    ]);
    await expectRefused(file, /too many small parts/);
  });

  test('checksums of more than there is', async () => {
    const file = await repacked((parts) => [
      ...parts.slice(0, -1),
      { header: { name: 'checksums.json' }, content: Buffer.alloc(1024 * 1024, ' ') },
    ]);
    await expectRefused(file, /checksums.json is too large/);
  });

  test('a secret that the service would refuse', async () => {
    const [manifest, ...tables] = await unpack(
      await editManifest((manifest) => Object.assign(manifest, { holds_secret_key_base: true })),
    );
    const secret = { header: { name: 'secret_key_base' }, content: Buffer.from('short') };
    await expectRefused(
      await repack([manifest ?? secret, secret, ...tables]),
      /secret_key_base is too short/,
    );
  });

  test('a row without end', async () => {
    const endless = {
      header: { name: 'tables/entries/00001.copy' },
      content: Buffer.alloc(65 * 1024 * 1024, 'x'),
    };
    const file = await repacked((parts) => [...parts.slice(0, 1), endless]);
    await expect(verifyBackup(streamOf(file))).rejects.toThrow(/a row that is too long/);
  });

  test.each([
    ['a table of its own', 'pg_authid', 'which its migrations do not make'],
    ['the list of migrations', 'schema_migrations', 'which its migrations do not make'],
  ])('%s', async (_, name, message) => {
    const file = await editManifest((manifest) => {
      Object(manifest).tables.push({ name, columns: ['name'] });
    });
    await expectRefusedByRestore(file, new RegExp(message));
  });

  test('sequences that are SQL', async () => {
    const file = await editManifest((manifest) => {
      Object.assign(manifest, { sequences: [{ name: 's', next_value: '1; drop table users' }] });
    });
    await expectRefused(file, /next_value/);
  });

  test('a sequence of its own', async () => {
    const file = await editManifest((manifest) => {
      Object.assign(manifest, { sequences: [{ name: 'pg_x', next_value: '1' }] });
    });
    await expectRefusedByRestore(file, /sequence pg_x/);
  });

  test('a schema of nothing', async () => {
    const file = await editManifest((manifest) => {
      Object.assign(manifest, { migrations: [], tables: [] });
    });
    await expectRefused(file, /without a schema/);
  });

  test('columns missing, and too many', async () => {
    const without = await editManifest((manifest) => void Object(manifest).tables[0].columns.pop());
    const extra = await editManifest((manifest) => void Object(manifest).tables[0].columns.push('more'));

    await expectRefusedByRestore(without, /table accounts has the columns/);
    await expectRefusedByRestore(extra, /table accounts has the columns/);
  });

  test('a table missing', async () => {
    const file = await editManifest((manifest) => {
      Object(manifest).tables = Object(manifest).tables.filter(
        ({ name }: { name: string }) => name !== 'tags',
      );
    });
    await expectRefusedByRestore(file, /no table tags/);
  });

  test('rows that refer to nothing', async () => {
    const file = await forge(good, ({ header }) =>
      header.name.startsWith('tables/users/') ? Buffer.alloc(0) : undefined,
    );
    await expectRefusedByRestore(file, /api_keys_user_id_fkey does not hold/);
  });

  test('rows the database refuses', async () => {
    const file = await forge(good, ({ header, content }) =>
      header.name.startsWith('tables/families/')
        ? Buffer.from(content.toString().replace('USD', 'usd'))
        : undefined,
    );
    await expectRefusedByRestore(file, /the database refuses a row of families .*families_currency_check/);
  });

  test('rows behind an end that is none', async () => {
    const file = await forge(good, ({ header, content }) =>
      header.name.startsWith('tables/entries/') ? Buffer.concat([Buffer.from('\\.\n'), content]) : undefined,
    );
    await expectRefusedByRestore(file, /damaged/);
  });
});
