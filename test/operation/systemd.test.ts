import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram } from '#test/operation/find-program.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const OPERATION = join(ROOT, 'config/operation');
const PROGRAM = findProgram('systemd-analyze') ?? '';

let folder = '';
let units: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finance-units-'));
  units = (await readdir(OPERATION)).filter((file) => /\.(service|timer)$/.test(file));
  for (const unit of units) {
    const text = await readFile(join(OPERATION, unit), 'utf8');
    await writeFile(join(folder, unit), text.replaceAll('/opt/finance', ROOT));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('systemd understands every unit, without a warning', async () => {
  const files = units.map((unit) => join(folder, unit));

  const { stdout, stderr } = await run(PROGRAM, ['verify', '--man=no', '--recursive-errors=no', ...files]);

  expect(units).toHaveLength(3);
  expect([stdout, stderr]).toEqual(['', '']);
});

test('the services are confined: an exposure of 1.4 out of 10', async () => {
  for (const unit of units.filter((name) => name.endsWith('.service'))) {
    // Exits with 1 above the threshold, which is in tenths.
    await run(PROGRAM, ['security', '--offline=yes', '--threshold=15', '--no-pager', join(folder, unit)]);
  }
});
