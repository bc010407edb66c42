import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadEnvironment } from '#config/environment-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'finance-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function fileOf(text: string, mode = 0o600): string {
  count += 1;
  const path = join(folder, `${count}.env`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('a file of variables', () => {
  test('completes the environment, which wins', () => {
    const file = fileOf('PORT=4000\nHOST=0.0.0.0\n');

    const { env, fromFile } = loadEnvironment({ env: { PORT: '5000', HOME: '/root' }, file });

    expect(env).toEqual({ PORT: '5000', HOST: '0.0.0.0', HOME: '/root' });
    expect([...fromFile]).toEqual(['HOST']);
  });

  test('loses to a variable that is set to nothing', () => {
    const file = fileOf('DATABASE_URL=postgres://elsewhere/x\n');

    expect(loadEnvironment({ env: { DATABASE_URL: '' }, file }).env.DATABASE_URL).toBe('');
  });

  test.each([
    [{ SMTP_URL: 'smtp://here' }, 'SMTP_URL_FILE=/there'],
    [{ SMTP_URL_FILE: '/here' }, 'SMTP_URL=smtp://there'],
  ])('loses to the other form of a secret (%j, %s)', (env, line) => {
    expect(loadEnvironment({ env, file: fileOf(line) }).env).toEqual(env);
  });

  test.each([
    ['A=1', { A: '1' }],
    ['export A = 1 # one', { A: '1' }],
    ['\ufeffA="x # y"\r\n# B=2\r\n\r\nC=\'it is\'', { A: 'x # y', C: 'it is' }],
    ['A="one\ntwo"\nB=', { A: 'one\ntwo', B: '' }],
    ['A=postgres://u:p@h/d?x=y', { A: 'postgres://u:p@h/d?x=y' }],
    ["A=it's", { A: "it's" }],
    ['', {}],
  ])('reads %j', (text, expected) => {
    expect({ ...loadEnvironment({ env: {}, file: fileOf(text) }).env }).toEqual(expected);
  });

  test.each([
    ['providers:\n  - name: okta', 1],
    ['A=1\nB 2', 2],
    ['A=1\n\nDATABASE_URL=postgres://u:pa#ss@h/d', 3],
    ['A="one\ntwo"\nB="open', 3],
    ['1A=2', 1],
  ])('names the line it does not understand (%j)', (text, line) => {
    const file = fileOf(text);

    expect(() => loadEnvironment({ env: {}, file })).toThrow(
      expect.objectContaining({
        code: 'configuration_invalid',
        message: expect.stringContaining(`${file}:${line}:`),
      }),
    );
  });

  test('must be there when it is asked for, and only then', () => {
    const missing = join(folder, 'none.env');

    expect(() => loadEnvironment({ env: {}, file: missing })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
    expect(loadEnvironment({ env: {}, standardFile: missing })).toMatchObject({ env: {}, file: undefined });
    expect(() => loadEnvironment({ env: {}, file: folder })).toThrow(/cannot be read \(EISDIR\)/);
  });

  test.each([
    ['DATABASE_URL=postgres://u:p@h/d', 0o644, true],
    ['OKTA_CLIENT_SECRET=x', 0o604, true],
    ['DATABASE_URL=postgres://u:p@h/d', 0o640, false],
    ['PORT=4000\nDATABASE_URL_FILE=/run/secrets/db', 0o644, false],
    ['DATABASE_URL=', 0o644, false],
  ])('with %s and mode %o warns: %s', (text, mode, expected) => {
    const { warning } = loadEnvironment({ env: {}, file: fileOf(text, mode) });

    expect(warning !== undefined).toBe(expected);
    if (warning) expect(warning).not.toMatch(/postgres|=x/);
  });
});
