import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run } from '#cli/program.ts';
import { bufferedOutside, runCli } from '#test/support/cli.ts';
import { SECRET_KEY_BASE } from '#test/support/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'finance-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  return path;
}

const sources = (stdout: string) =>
  Object.fromEntries(
    JSON.parse(stdout).map(({ name, value, source }: Record<string, unknown>) => [name, [value, source]]),
  );

test('config show tells what comes from a flag, the environment, the file and nowhere', async () => {
  const password = fileOf('password', 'smtp://u:planted@mail.example.com');
  const file = fileOf(
    'one.env',
    `PORT=4000\nHOST=0.0.0.0\nSMTP_URL_FILE=${password}\nMAIL_FROM=a@b.example\n`,
  );
  const argv = ['config', 'show', '--json', '--config', file, '--dry-run'];

  const { exitCode, stdout } = await runCli(argv, { env: { PORT: '5000' } });

  expect(exitCode).toBe(0);
  expect(sources(stdout)).toMatchObject({
    DRY_RUN: [true, 'flag'],
    PORT: [5000, 'environment'],
    HOST: ['0.0.0.0', file],
    SMTP_URL: ['(set)', `${file} (SMTP_URL_FILE)`],
    LOG_LEVEL: ['info', 'default'],
  });
});

test('the file of the checkout is read unless another is named, and none in the working folder', async () => {
  const standardFile = fileOf('standard.env', 'PORT=4001\n');
  const other = fileOf('other.env', 'HOST=0.0.0.0\n');
  const show = async (more: string[]) => {
    const { outside, stdout } = bufferedOutside();
    await run(['config', 'show', '--json', ...more], { ...outside, standardFile });
    return sources(stdout.text());
  };

  expect(await show([])).toMatchObject({ PORT: [4001, standardFile] });
  expect(await show(['--config', other])).toMatchObject({
    PORT: [3000, 'default'],
    HOST: ['0.0.0.0', other],
  });
});

test('a file with secrets that others can read is warned of, on stderr alone', async () => {
  const file = fileOf('open.env', 'DATABASE_URL=postgres://u:planted@h/d\n', 0o644);

  const { exitCode, stdout, stderr } = await runCli(['config', 'check', '--config', file, '--json']);

  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ valid: true, unknown: [] });
  expect(stderr).toContain(`warning: ${file} holds secrets`);
  expect(stderr).not.toContain('planted');
});

const server = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(join(import.meta.dirname, '../../bin/finance-server'), args, {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...env },
    timeout: 20_000,
  });

test('the server reads it too, and takes no other argument', () => {
  const file = fileOf('server.env', 'PORT=many\nDATABASE_URL=postgres://u:planted@127.0.0.1:1/d\n');

  const [read, odd] = [server(['--config', file]), server(['--confg', file])];

  expect([read.status, odd.status]).toEqual([1, 1]);
  expect(read.stderr).toContain('error: PORT must be ');
  expect(read.stderr).toContain('error: SECRET_KEY_BASE must be set');
  expect(read.stderr).not.toContain('planted');
  expect(odd.stderr).toContain("error: Unknown option '--confg'");
});

test('the server says so when a name is no setting', () => {
  const env = { AUDIT_RETENTON: 'planted', DATABASE_URL: 'postgres://127.0.0.1:1/d', SECRET_KEY_BASE };

  const { status, stdout } = server([], env);

  expect(status).toBe(1);
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
    event: 'settings_questionable',
    warning: expect.stringContaining('Did you mean AUDIT_RETENTION?'),
  });
  expect(stdout).not.toContain('planted');
});
