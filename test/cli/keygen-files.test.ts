import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { SAML } from '#test/sso/given-provider.ts';
import { runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const ENTRY = { ...SAML, name: 'corp', sign_requests: `\${SIGN:-false}` };

/** A file with a SAML provider, a folder for keys, and a command line that knows both. */
async function given() {
  const folder = await mkdtemp(join(tmpdir(), 'finance-keygen-'));
  const file = join(folder, 'auth.yml');
  const write = (fields: Record<string, unknown>) =>
    writeFile(file, JSON.stringify({ providers: [{ ...ENTRY, ...fields }] }));
  await write({});
  const cli = (argv: string[], env: Record<string, string> = {}) =>
    runCli(['providers', ...argv], {
      runtime: harness.runtime,
      env: { AUTH_PROVIDERS_FILE: file, APP_URL: 'https://finance.example.com', ...env },
    });
  return { folder, write, cli };
}

const KEYGEN = ['keygen', 'corp', '--bits', '2048', '--to-dir'];

test('keygen --to-dir writes what the file then refers to, and tells the key to nobody', async () => {
  const { folder, write, cli } = await given();

  const { exitCode, stdout, stderr } = await cli([...KEYGEN, folder, '--json']);

  expect(exitCode, stderr).toBe(0);
  const { files, fields, environment, certificate } = JSON.parse(stdout);
  expect(files.key).toBe(join(folder, 'corp-signing.key'));
  for (const path of [files.key, files.certificate]) expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(files.key, 'utf8')).toContain('PRIVATE KEY');
  expect(stdout + stderr).not.toContain('PRIVATE KEY');
  expect(stderr).toContain(`private_key: \${CORP_PRIVATE_KEY}`);
  expect(stderr).toContain(`CORP_PRIVATE_KEY_FILE=${files.key}`);
  await write(fields);
  const shown = await cli(['show', 'corp', '--json'], { ...environment, SIGN: 'true' });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    problem: null,
    private_key: 'set',
    sp_certificate: certificate,
    sign_requests: true,
  });
});

test('keygen --to-dir replaces files only when told to', async () => {
  const { folder, cli } = await given();
  await cli([...KEYGEN, folder, '--for', 'encryption']);
  const key = () => readFile(join(folder, 'corp-encryption.key'), 'utf8');
  const first = await key();

  const refused = await cli([...KEYGEN, folder, '--for', 'encryption']);
  expect(refused.exitCode).toBe(4);
  expect(await key()).toBe(first);
  expect((await cli([...KEYGEN, folder, '--for', 'encryption', '--replace'])).exitCode).toBe(0);
  expect(await key()).not.toBe(first);
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('keygen --to-dir as a rehearsal writes nothing', async () => {
  const { folder, cli } = await given();

  const { exitCode, stderr } = await cli([...KEYGEN, folder, '--dry-run']);

  expect(exitCode, stderr).toBe(0);
  expect(await readdir(folder)).toEqual(['auth.yml']);
});

test.each<[string, string[], Record<string, string>, number]>([
  ['a folder that is not there', [...KEYGEN, '/nowhere/at/all'], {}, 3],
  ['a provider of the database', [...KEYGEN, '/tmp'], { AUTH_PROVIDERS_SOURCE: 'db' }, 2],
  ['an odd length', ['keygen', 'corp', '--bits', '100', '--to-dir', '/tmp'], {}, 5],
])('keygen --to-dir refuses %s', async (_, argv, env, code) => {
  const { cli } = await given();
  await harness.perform((work) => createProvider(work, { ...SAML, name: 'corp' }));

  const { exitCode, stderr } = await cli(argv, env);

  expect(exitCode, stderr).toBe(code);
});
