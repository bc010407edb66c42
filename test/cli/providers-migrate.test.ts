// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the files these tests read are written like this
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser } from '#src/users/create-user.ts';
import { fixture, givenProvider, MARKER, OAUTH2, OIDC, SAML } from '#test/sso/given-provider.ts';
import { startIssuer } from '#test/sso/issuer-server.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const ENV = { AUTH_PROVIDERS_SOURCE: 'db', OKTA_SECRET: MARKER, AZURE_SECRET: MARKER };

async function migrate(yaml: string, flags: string[] = [], { env = {}, ...options }: CliOptions = {}) {
  const path = join(await mkdtemp(join(tmpdir(), 'finance-migrate-')), 'auth.yml');
  await writeFile(path, yaml);
  await chmod(path, 0o600);
  const result = await runCli(['providers', 'migrate', '--file', path, '--skip-verify', ...flags], {
    runtime: harness.runtime,
    env: { ...ENV, ...env },
    ...options,
  });
  expect(result.stdout + result.stderr).not.toContain(MARKER);
  return { ...result, path };
}

const steps = async (yaml: string, flags: string[] = [], options: CliOptions = {}) =>
  JSON.parse((await migrate(yaml, [...flags, '--json'], options)).stdout);

const dump = async () =>
  JSON.stringify(
    await harness.query(`select (select json_agg(p order by id) from sso_providers p) as providers,
      (select count(*) from audit_events) as events`),
  );

const names = async () =>
  (await harness.query<{ name: string }>('select name from sso_providers order by name')).map(
    ({ name }) => name,
  );

const entry = (name: string, fields: Record<string, string> = {}) => {
  const all = {
    strategy: 'openid_connect',
    label: 'Company login',
    issuer: `https://${name}.example.com`,
    client_id: 'finance',
    client_secret: `\${${name.toUpperCase()}_SECRET}`,
    ...fields,
  };
  return `  - name: ${name}\n${Object.entries(all)
    .map(([key, value]) => `    ${key}: ${value}\n`)
    .join('')}`;
};

const file = (...entries: string[]) => `providers:\n${entries.join('')}`;

const run = (argv: string[], options: CliOptions) =>
  runCli(['providers', 'migrate', '--skip-verify', ...argv], { runtime: harness.runtime, ...options });

const verify = (yaml: string, flags: string[] = []) =>
  runCli(['providers', 'migrate', '--file', '-', ...flags], {
    runtime: harness.runtime,
    env: ENV,
    stdin: yaml,
  });

const exported = async (...flags: string[]) => {
  const { exitCode, stdout, stderr } = await runCli(['providers', 'export', ...flags], {
    runtime: harness.runtime,
    env: ENV,
  });
  expect(exitCode, stderr).toBe(0);
  expect(stdout + stderr).not.toContain(MARKER);
  return stdout;
};

describe('providers migrate', () => {
  test('shows what a rehearsal would do, line by line, and saves nothing', async () => {
    await givenProvider(harness, { issuer: 'https://okta.example.com', label: 'Okta' });
    await givenProvider(harness, { name: 'same', issuer: 'https://same.example.com' });
    const before = await dump();
    const yaml = file(
      entry('azure'),
      entry('okta'),
      entry('same'),
      entry('broken', { issuer: '${AZURE_ISSUER}', client_secret: 'x' }),
    );

    const { exitCode, stdout, stderr, path } = await migrate(yaml, [], {
      env: { DRY_RUN: 'true', SAME_SECRET: MARKER },
    });

    expect(stdout.split('\n')).toEqual([
      'ACTION\tNAME\tSTRATEGY\tCHANGES',
      'create\tazure\topenid_connect\tlabel, issuer, client_id, client_secret',
      'update\tokta\topenid_connect\tlabel: "Okta" -> "Company login"',
      'skip\tsame\topenid_connect\tno changes',
      `error\tbroken\topenid_connect\t${path}:23: issuer: \${AZURE_ISSUER} is not set`,
      '',
    ]);
    expect(stderr).toContain('DRY RUN');
    expect(stderr).toContain('created 1, updated 1, skipped 1, errors 1');
    expect(stderr).toContain('--only');
    expect(exitCode).toBe(5);
    expect(await dump()).toBe(before);
  });

  test('saves nothing while there is an error, unless it is left out by --only', async () => {
    const yaml = file(entry('azure'), entry('broken', { issuer: 'nowhere', client_secret: 'x' }));
    const before = await dump();

    expect((await migrate(yaml)).exitCode).toBe(5);
    expect(await dump()).toBe(before);
    expect((await migrate(yaml, ['--only', 'azure'])).exitCode).toBe(0);
    expect(await names()).toEqual(['azure']);
    expect((await migrate(yaml, ['--only', 'nobody'])).exitCode).toBe(2);
  });

  test('a second run changes nothing, and records nothing', async () => {
    const yaml = file(entry('okta'), entry('azure', { role_mapping: '{ admin: [A, B] }', enabled: 'false' }));
    await migrate(yaml);
    const before = await dump();

    const { exitCode, stderr } = await migrate(yaml);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('created 0, updated 0, skipped 2, errors 0');
    expect(await dump()).toBe(before);
  });

  test.each<[string, string, number]>([
    ['there is something to do', file(entry('okta')), 8],
    ['there is nothing to do', 'providers: []', 0],
    ['something is wrong', file(entry('okta', { issuer: 'x' })), 5],
  ])('--exit-code when %s', async (_, yaml, code) => {
    expect((await migrate(yaml, ['--exit-code', '--dry-run'])).exitCode).toBe(code);
    expect((await migrate(yaml, ['--exit-code'])).exitCode).toBe(code === 8 ? 0 : code);
  });

  test('keeps a stored secret when the file has none, and what the file does not mention', async () => {
    await givenProvider(harness, {
      issuer: 'https://okta.example.com',
      group_attribute: 'teams',
      enabled: false,
    });
    const withoutSecret = entry('okta', { label: 'New' }).replace(/ +client_secret.*\n/, '');

    expect((await steps(file(withoutSecret))).steps[0]).toMatchObject({
      action: 'update',
      fields: ['label'],
    });
    expect(
      (await steps(file(entry('okta', { label: 'New' })), [], { env: { OKTA_SECRET: '' } })).steps[0],
    ).toMatchObject({
      action: 'skip',
    });
    const [row] = await harness.query<{ enabled: boolean; settings: object; secrets: object }>(
      'select * from sso_providers',
    );
    expect(row).toMatchObject({
      enabled: false,
      settings: { group_attribute: 'teams' },
      secrets: { client_secret: /^v1/ },
    });
  });

  test('a secret that nobody has set is an error where none is stored', async () => {
    const { steps: planned } = await steps(file(entry('okta')), [], { env: { OKTA_SECRET: '' } });

    expect(planned).toEqual([
      expect.objectContaining({
        action: 'error',
        details: [expect.stringMatching(/:7: client_secret: \$\{OKTA_SECRET\} is not set$/)],
      }),
    ]);
    expect(await names()).toEqual([]);
  });

  test('a new secret is an update, told by name', async () => {
    await givenProvider(harness, { issuer: 'https://okta.example.com', client_secret: 'the old one' });

    const { stdout } = await migrate(file(entry('okta')));

    expect(stdout).toContain('update\tokta\topenid_connect\tclient_secret\n');
  });

  test.each<[string, string, string]>([
    [
      'the strategy is another',
      entry('okta', { strategy: 'oauth2' }),
      'strategy: cannot be changed; it is openid_connect',
    ],
    [
      'the name belongs to another id',
      entry('okta', { id: 'other' }),
      'name: belongs to the provider with the id okta',
    ],
    [
      'the certificate has expired',
      '  - name: adfs\n    strategy: saml\n    sso_url: https://a.example\n    entity_id: a\n' +
        `    certificate: |\n${fixture('expired.crt').replaceAll(/^/gm, '      ')}\n`,
      'certificate: expired on 2021-01-01',
    ],
  ])('a conflict is reported, not overwritten: %s', async (_, text, message) => {
    await givenProvider(harness);
    const before = await dump();

    const { exitCode, stdout } = await migrate(file(text));

    expect(exitCode).toBe(5);
    expect(stdout).toContain(message);
    expect(await dump()).toBe(before);
  });

  test('an id makes a renamed provider known', async () => {
    await givenProvider(harness, { name: 'company', id: 'okta', issuer: 'https://okta.example.com' });

    expect((await steps(file(entry('okta')))).steps).toMatchObject([{ action: 'update', fields: ['name'] }]);
    expect(await harness.query('select id, name from sso_providers')).toEqual([{ id: 'okta', name: 'okta' }]);
  });

  test('--prune deletes what the file does not have, after asking, and not the only way in', async () => {
    await givenProvider(harness, { name: 'google' });
    const yaml = file(entry('okta'));

    expect((await migrate(yaml, ['--prune'])).exitCode).toBe(4);
    expect((await migrate(yaml, ['--prune', '--only', 'okta', '--yes'])).exitCode).toBe(2);
    await harness.perform(async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
      const { id } = await createUser(work, { familyId, email: 'ada@example.com', role: 'member' });
      await work.sql(
        `insert into identities (id, user_id, provider, subject, groups, attributes, created_at)
         values (gen_random_uuid(), $1, 'google', 's', '[]', '{}', now())`,
        [id],
      );
    });
    const refused = await migrate(yaml, ['--prune', '--yes']);
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('ada@example.com')]);
    expect(await names()).toEqual(['google']);
    await harness.query('delete from identities');
    expect((await steps(yaml, ['--prune', '--yes'])).deleted).toBe(1);
    expect(await names()).toEqual(['okta']);
  });

  test('reads the settings’ own file by default, and standard input for -', async () => {
    const { path } = await migrate('providers: []');
    await writeFile(path, file(entry('okta')));
    expect((await run(['--dry-run'], { env: { ...ENV, AUTH_PROVIDERS_FILE: path } })).stdout).toContain(
      'create\tokta',
    );
    const piped = await run(['--file', '-'], { env: ENV, stdin: file(entry('okta', { issuer: 'x' })) });
    expect(piped.stdout).toContain('<stdin>:5: issuer: ');
    expect((await run(['--file', '/nowhere.yml'], {})).exitCode).toBe(3);
    expect((await run(['--file', '-'], { stdin: 'a: [' })).exitCode).toBe(5);
  });

  test('the shipped file alone is nothing to do', async () => {
    const result = await runCli(['providers', 'migrate'], { runtime: harness.runtime });

    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('skip\topenid_connect\topenid_connect\tnot in use: set OIDC_ISSUER');
  });

  test("a file in Sure's shape comes over", async () => {
    const yaml = await readFile(join(import.meta.dirname, '../fixtures/sure-auth.yml'), 'utf8');
    const env = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: MARKER };

    const { exitCode, stdout } = await migrate(yaml, [], { env });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/create\topenid_connect\t.*\nskip\tgoogle_oauth2\t.*\nskip\tgithub\t/);
    expect(await harness.query('select id, name from sso_providers')).toEqual([
      { id: 'oidc', name: 'openid_connect' },
    ]);
  });

  test('warns of a file with secrets in it that everybody can read', async () => {
    const { path } = await migrate(file(entry('okta', { client_secret: 'literal' })), ['--dry-run']);
    await chmod(path, 0o644);
    const argv = ['providers', 'migrate', '--file', path, '--skip-verify', '--dry-run'];

    expect((await runCli(argv, { runtime: harness.runtime })).stderr).toContain(
      'everybody on this machine can read',
    );
  });
});

describe('the issuers of a file', () => {
  test('are asked when they are new, and only then', async () => {
    const server = await startIssuer();
    onTestFinished(() => server.close());
    const yaml = file(entry('okta', { issuer: server.url }));

    expect((await verify(yaml)).exitCode).toBe(0);
    const asked = server.requests.length;
    expect((await verify(yaml.replace('Company', 'Our'))).exitCode).toBe(0);

    expect(asked).toBeGreaterThan(0);
    expect(server.requests.length).toBe(asked);
    expect(await names()).toEqual(['okta']);
  });

  test('that say something else are errors with their line, in a rehearsal too', async () => {
    const server = await startIssuer(() => ({ issuer: 'https://evil.example' }));
    onTestFinished(() => server.close());
    const yaml = file(
      entry('azure', { issuer: server.url, enabled: 'false' }),
      entry('okta', { issuer: server.url }),
    );

    const { exitCode, stdout } = await verify(yaml, ['--dry-run']);

    expect(exitCode).toBe(5);
    expect(stdout).toContain('create\tazure');
    expect(stdout).toMatch(/error\tokta\t.*<stdin>:12: issuer: .*another issuer/);
    expect((await verify(yaml)).exitCode).toBe(5);
    expect(await names()).toEqual([]);
  });
});

describe('providers export', () => {
  test.each([['yaml'], ['json']])(
    'as %s, then migrated, changes nothing, without any variable set',
    async (format) => {
      await givenProvider(harness, {
        role_mapping: { mappings: [{ group: '${A} <% \u200e', role: 'admin' }] },
      });
      await givenProvider(harness, { ...OAUTH2, name: 'github', issuer: undefined });
      await givenProvider(harness, {
        ...SAML,
        issuer: undefined,
        client_id: undefined,
        client_secret: undefined,
      });
      const before = await dump();

      const { exitCode, stdout } = await migrate(await exported('--format', format));

      expect(exitCode).toBe(0);
      expect(stdout.match(/^\w+/gm)).toEqual(['ACTION', 'skip', 'skip', 'skip']);
      expect(await dump()).toBe(before);
    },
  );

  test('of whatever there may be is a no-op to migrate', async () => {
    const words = fc
      .array(fc.constantFrom('a', ' ', ': ', '#', '${A}', '$', '<%', '"', '\u2028', '\u200e', '- '), {
        maxLength: 6,
      })
      .map((parts) => `x${parts.join('')}x`);
    await givenProvider(harness);
    await fc.assert(
      fc.asyncProperty(words, words, fc.boolean(), async (label, group, enabled) => {
        await harness.query(`update sso_providers set label = $1, enabled = $2, settings = settings || $3`, [
          label,
          enabled,
          JSON.stringify({ role_mapping: { mappings: [{ group, role: 'admin' }] } }),
        ]);
        const before = await dump();

        expect((await migrate(await exported())).exitCode).toBe(0);
        expect(await dump()).toBe(before);
      }),
      { numRuns: 25 },
    );
  });

  test('with the variables set makes the same providers in an empty database', async () => {
    await givenProvider(harness);
    const yaml = await exported();
    await harness.query('delete from sso_providers');

    expect((await migrate(yaml, [], { env: { OKTA_CLIENT_SECRET: '' } })).exitCode).toBe(5);
    expect((await migrate(yaml, [], { env: { OKTA_CLIENT_SECRET: OIDC.client_secret } })).exitCode).toBe(0);
    expect(await exported()).toBe(yaml);
  });

  test('of a provider that cannot be read is refused', async () => {
    await givenProvider(harness);
    await harness.query(`update sso_providers set secrets = '{"client_secret": "hunter2"}'`);

    const { exitCode, stderr } = await runCli(['providers', 'export'], {
      runtime: harness.runtime,
      env: ENV,
    });

    expect(exitCode).toBe(5);
    expect(stderr).not.toContain('hunter2');
  });
});
