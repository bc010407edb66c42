import { Readable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { linesOf } from '#src/audit/archive/files/lines-of.ts';
import { spoolFrom } from '#src/audit/archive/files/spool.ts';

afterEach(() => vi.unstubAllEnvs());

test('a folder for temporary files that takes none is named', async () => {
  vi.stubEnv('TMPDIR', '/proc/nowhere');
  await expect(spoolFrom(Readable.from([Buffer.from('x')]))).rejects.toMatchObject({
    code: 'service_unavailable',
    message: expect.stringContaining('/proc/nowhere'),
  });
});

test('a line without end is not taken into memory', async () => {
  let taken = 0;
  const endless = async function* () {
    for (;;) {
      taken += 1;
      yield Buffer.alloc(4_194_304, 'x');
    }
  };
  await expect(linesOf(endless()).next()).rejects.toThrow('a line is too long');
  expect(taken).toBeLessThan(10);
});
