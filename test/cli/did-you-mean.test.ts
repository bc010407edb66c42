import { beforeAll, expect, test } from 'vitest';
import { runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenPopulated } from '#test/support/populated.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' }, { shared: true });
beforeAll(async () => {
  await givenPopulated(harness);
});

test.each([
  [['users', 'show', 'aad@example.com'], 3, 'Did you mean ada@example.com?'],
  [['users', 'show', 'ad'], 3, 'Did you mean ada@example.com?'],
  [['users', 'suspend', 'bbo@example.com', '--yes'], 3, 'Did you mean bob@example.com?'],
  [['users', 'list', '--actor', 'eev@example.com'], 4, 'Did you mean eve@example.com?'],
  [['users', 'list', '--family', 'Smiht'], 3, 'Did you mean Smith? Known: Smith.'],
  [['users', 'role', 'bob@example.com', 'amdin'], 2, 'Did you mean admin?'],
  [['import', 'x.csv', '--account', 'Visa', '--format', 'ynab'], 2, '--preset ynab'],
  [['import', 'x.csv', '--account', 'Visa', '--format', 'cvs'], 2, 'Did you mean csv?'],
  [
    ['users', 'sync-roles', '--all', '--provider', 'otka'],
    3,
    'Did you mean okta? Known: adfs, github, okta.',
  ],
  [['providers', 'show', 'otka'], 3, 'Did you mean okta? Known: adfs, github, okta.'],
  [['providers', 'enable', 'githbu'], 3, 'Did you mean github? Known: adfs, github, okta.'],
  [['accounts', 'update', 'Cheking', '--name', 'x'], 3, 'Did you mean Checking? Known: '],
  [['audit', 'list', '--provider', 'otka'], 0, 'No provider is named "otka". Did you mean okta? Known: '],
])('%j ends with %i and says %j', async (argv, expected, hint) => {
  const env = { AUTH_PROVIDERS_SOURCE: 'db' };
  const { exitCode, stderr } = await runCli(argv, { runtime: harness.runtime, env });

  expect(stderr).toContain(hint);
  expect(exitCode).toBe(expected);
});

test.each([
  [['users', 'show', 'somebody.else@nowhere.example']],
  [['users', 'show', '%']],
  [['audit', 'list', '--provider', 'okta']],
])('%j guesses nothing', async (argv) => {
  const { stderr } = await runCli(argv, { runtime: harness.runtime, env: { AUTH_PROVIDERS_SOURCE: 'db' } });

  expect(stderr).not.toContain('Did you mean');
  expect(stderr).not.toContain('@example.com');
});
