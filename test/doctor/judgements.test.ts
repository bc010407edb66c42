import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import type { Finding, Status, Subject } from '#src/doctor/check.ts';
import { address } from '#src/doctor/checks/address.ts';
import { judgeClock } from '#src/doctor/checks/clock.ts';
import { judgeRoom } from '#src/doctor/checks/connections.ts';
import { judgeServer } from '#src/doctor/checks/database.ts';
import { judgeSpace } from '#src/doctor/checks/disk.ts';
import { secretFiles } from '#src/doctor/checks/secret-files.ts';
import { CHECKS } from '#src/doctor/checks.ts';
import { examine, overall } from '#src/doctor/examine.ts';
import { sizeText } from '#src/doctor/sizes.ts';

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

test.each<[number, number, Status]>([
  [50 * GIB, 100 * GIB, 'ok'],
  [5 * GIB, 100 * GIB, 'ok'],
  [4.9 * GIB, 100 * GIB, 'warn'],
  [GIB, 4 * GIB, 'ok'],
  [GIB - 1, 4 * GIB, 'warn'],
  [100 * MIB, 4 * GIB, 'warn'],
  [100 * MIB - 1, 4 * GIB, 'fail'],
  [0, 0, 'fail'],
])('%i bytes free of %i: %s', (free, total, status) => {
  expect(judgeSpace({ free, total }).status).toBe(status);
});

test.each<[number, Status, RegExp]>([
  [0, 'ok', /within a second/],
  [-4.9, 'ok', /within 5 seconds/],
  [5.1, 'warn', /5 seconds ahead of/],
  [-60, 'warn', /60 seconds behind/],
  [61, 'fail', /61 seconds ahead/],
  [-86_400, 'fail', /behind/],
])('a clock %f seconds ahead: %s', (ahead, status, text) => {
  expect(judgeClock(ahead)).toMatchObject({ status, detail: expect.stringMatching(text) });
});

const SERVER = {
  database: 'finance',
  version: '17.2',
  number: '170002',
  encoding: 'UTF8',
  zone: 'UTC',
  style: 'ISO, MDY',
};

test.each<[Partial<typeof SERVER>, number, Status, RegExp]>([
  [{}, 0.4, 'ok', /PostgreSQL 17.2, finance at db:5432, answers in 0.4 ms/],
  [{ number: '150000' }, 1, 'ok', /./],
  [{ number: '140013', version: '14.13' }, 1, 'fail', /too old/],
  [{ encoding: 'SQL_ASCII' }, 1, 'fail', /SQL_ASCII/],
  [{ zone: 'Europe/Berlin' }, 1, 'fail', /Europe\/Berlin/],
  [{ style: 'German' }, 1, 'fail', /pooler/],
  [{}, 51, 'warn', /51.0 ms/],
])('a server %j that takes %f ms: %s', (change, milliseconds, status, text) => {
  const finding = judgeServer({ ...SERVER, ...change }, { milliseconds, place: 'at db:5432' });

  expect(finding).toMatchObject({ status, detail: expect.stringMatching(text) });
});

test.each<[number, number, number, number, Status]>([
  [97, 5, 8, 1, 'ok'],
  [97, 5, 8, 9, 'ok'],
  [97, 5, 8, 10, 'warn'],
  [97, 5, 8, 13, 'fail'],
  [97, 90, 8, 1, 'warn'],
])(
  '%i connections, %i in use, pools of %i in %i processes: %s',
  (most, used, poolSize, processes, status) => {
    expect(judgeRoom({ most, used }, { poolSize, processes }).status).toBe(status);
  },
);

function subjectWith(
  env: Record<string, string>,
  sources: Partial<ReturnType<Subject['sources']>> = {},
): Subject {
  return {
    config: () => loadConfig(env),
    sources: () => ({ unknown: [], secretFiles: [], credentialsFolder: undefined, ...sources }),
    runtime: () => Promise.reject(new Error('no database')),
    now: () => new Date(),
    isOffline: true,
    warnCertDays: 30,
    explain: (error) => ({ detail: String(error) }),
  };
}

test.each<[Record<string, string>, Status, RegExp]>([
  [{}, 'ok', /localhost:3000/],
  [{ PORT: '8080' }, 'ok', /localhost:8080/],
  [{ APP_URL: 'https://money.example', TRUSTED_PROXY_HOPS: '1' }, 'ok', /./],
  [{ APP_URL: 'https://money.example' }, 'warn', /no proxy is trusted/],
  [{ APP_URL: 'http://money.example', HOST: '0.0.0.0' }, 'warn', /not encrypted/],
  [{ HOST: '0.0.0.0' }, 'warn', /links lead to http:\/\/localhost:3000/],
  [{ APP_URL: 'http://localhost:8080' }, 'warn', /listens on 3000/],
  [{ APP_URL: 'http://[::1]:3000', HOST: '::1' }, 'ok', /./],
])('the address of %j: %s', async (env, status, text) => {
  expect(await address(subjectWith(env))).toMatchObject({ status, detail: expect.stringMatching(text) });
});

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_536, '1.5 KiB'],
  [200 * MIB, '200 MiB'],
  [3 * 1_024 * GIB, '3.0 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

describe('files that hold secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'finance-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each<[number, 'ok' | 'warn']>([
    [0o600, 'ok'],
    [0o640, 'warn'],
    [0o604, 'warn'],
  ])('with mode %o: %s', async (mode, status) => {
    const file = join(folder, `${mode}`);
    writeFileSync(file, '');
    chmodSync(file, mode);

    expect(await secretFiles(subjectWith({}, { secretFiles: [file] }))).toMatchObject({ status });
    expect(
      await secretFiles(subjectWith({}, { secretFiles: [file], credentialsFolder: folder })),
    ).toMatchObject({ status: 'ok' });
  });

  test('below /run/secrets are kept by the system, and what only sounds like it is not', async () => {
    const beside = join(folder, '..beside');
    writeFileSync(beside, '');
    chmodSync(beside, 0o644);

    expect(await secretFiles(subjectWith({}, { secretFiles: ['/run/secrets/one'] }))).toMatchObject({
      status: 'ok',
    });
    expect(
      await secretFiles(subjectWith({}, { secretFiles: [beside], credentialsFolder: `${folder}/run` })),
    ).toMatchObject({ status: 'warn' });
  });
});

const found = (finding: Finding) => async () => finding;

describe('the list of checks', () => {
  test('names each once, and needs only what comes before', () => {
    const names = CHECKS.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    for (const [index, { needs }] of CHECKS.entries())
      for (const need of needs) expect(names.slice(0, index)).toContain(need);
  });

  test('goes on after a failure, leaves out what makes no sense then, and calls a bug one', async () => {
    const findings = await Array.fromAsync(
      examine(
        [
          { name: 'first', needs: [], look: found({ status: 'warn', detail: 'so so' }) },
          { name: 'second', needs: ['first'], look: () => Promise.reject(new Error('broken')) },
          { name: 'third', needs: ['first', 'second'], look: found({ status: 'ok', detail: 'never' }) },
          { name: 'fourth', needs: ['third'], look: found({ status: 'ok', detail: 'never' }) },
          { name: 'fifth', needs: ['first'], look: found({ name: 'own', status: 'ok', detail: 'fine' }) },
        ],
        subjectWith({}),
      ),
    );

    expect(findings.map(({ name, status, detail }) => [name, status, detail])).toEqual([
      ['first', 'warn', 'so so'],
      ['second', 'fail', 'Error: broken'],
      ['third', 'skipped', 'waits for second'],
      ['fourth', 'skipped', 'waits for third'],
      ['own', 'ok', 'fine'],
    ]);
    expect([overall(findings), overall(findings.slice(0, 1)), overall([])]).toEqual(['fail', 'warn', 'ok']);
  });
});
