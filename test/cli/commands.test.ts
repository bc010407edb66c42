import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { startSession } from '#src/auth/start-session.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { statementFile } from '#test/support/given.ts';

const harness = useRuntime();

const cli = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { runtime: harness.runtime, ...options });

/** Runs a command that must succeed, and answers with its result. */
async function ok(...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cli(argv);
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

const json = async (...argv: string[]) => JSON.parse(await ok(...argv, '--json'));

async function givenFamily() {
  await ok('families', 'create', 'Smith', '--currency', 'USD');
  await ok('users', 'create', '--email', 'ada@example.com');
  await ok('accounts', 'create', 'Checking', '--type', 'depository');
  await ok('accounts', 'create', 'Savings', '--type', 'depository');
}

async function givenPair() {
  await givenFamily();
  await ok('import', await statementFile([['2026-01-02', '-100.00', 'out']]), '--account', 'Checking');
  await ok('import', await statementFile([['2026-01-03', '100.00', 'in']]), '--account', 'Savings');
  await ok('transfers', 'match');
  const [transfer] = await json('transfers', 'list');
  return transfer.id as string;
}

describe('from nothing to a rejected transfer', () => {
  test('by name, without a single id that was not printed before', async () => {
    const id = await givenPair();

    await ok('transfers', 'reject', id);
    expect(await json('transfers', 'list')).toEqual([]);
    expect(await json('transfers', 'list', '--rejected')).toEqual(
      await json('transfers', 'list', '--status', 'rejected'),
    );
    expect(await json('transfers', 'list', '--status', 'rejected')).toMatchObject([
      { id, status: 'rejected' },
    ]);
    await ok('transfers', 'match', '--window', '1w');
    expect(await json('transfers', 'list')).toEqual([]);

    await ok('transfers', 'unreject', id);
    await ok('transfers', 'match');
    expect(await json('transfers', 'list')).toMatchObject([{ status: 'pending' }]);
  });

  test('two transactions by hand', async () => {
    await givenPair();
    const ids = (await json('transactions', 'list')).map((transaction: { id: string }) => transaction.id);

    await ok('transfers', 'match', ...ids);
    expect(await json('transfers', 'list', '--status', 'confirmed')).toHaveLength(1);
    expect(await json('transactions', 'show', ids[0])).toMatchObject({ transfer: { other_account: {} } });
  });
});

describe('keys', () => {
  test('print the key alone on stdout, once', async () => {
    await givenFamily();
    const key = await ok(
      'api-keys',
      'create',
      '--user',
      'ada@example.com',
      '--name',
      'laptop',
      '--expires-in',
      '90d',
    );
    expect(key).toMatch(/^fin_[\w-]{43}$/);

    const [listed] = await json('api-keys', 'list');
    expect(JSON.stringify(listed)).not.toContain(key);
    expect(listed).toMatchObject({ name: 'laptop', scope: 'read', email: 'ada@example.com' });
    await ok('api-keys', 'revoke', listed.id, '--yes');
    expect((await json('api-keys', 'list'))[0].revoked_at).not.toBeNull();
  });
});

describe('importing', () => {
  test('some bad rows is exit 6, with each of them as file:line', async () => {
    await givenFamily();
    const file = await statementFile([
      ['2026-01-02', '-1.00', 'good'],
      ['2026-02-30', '-1.00', 'bad'],
    ]);

    const { exitCode, stderr } = await cli(['import', file, '--account', 'Checking']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain(`${file}:3: `);
  });

  test('can be looked at first, listed and undone', async () => {
    await givenFamily();
    const file = await statementFile([['2026-01-02', '-1.00', 'coffee']]);

    const dry = await cli(['import', file, '--account', 'Checking', '--dry-run']);
    expect(dry.stderr).toContain('DRY RUN');
    expect(await json('transactions', 'list')).toEqual([]);

    await ok('import', file, '--account', 'Checking');
    const [record] = await json('import', 'list');
    await ok('import', 'undo', record.id, '--yes');
    expect(await json('transactions', 'list')).toEqual([]);
  });

  test('of a file that is not there, and of what is no statement', async () => {
    await givenFamily();

    expect((await cli(['import', '/nowhere/x.csv', '--account', 'Checking'])).exitCode).toBe(3);
    const page = await statementFile([]);
    expect((await cli(['import', page, '--account', 'Nowhere'])).exitCode).toBe(3);
  });
});

describe('a batch', () => {
  const IDS = ['0198c000-0000-7000-8000-000000000000', 'nonsense'];

  test('with one bad id does the rest, tells the failure and is exit 6', async () => {
    const id = await givenPair();

    const { exitCode, stderr } = await cli(['transfers', 'confirm', id, 'nonsense']);
    expect(exitCode).toBe(6);
    expect(stderr).toContain('nonsense');
    expect(await json('transfers', 'list', '--status', 'confirmed')).toMatchObject([{ id }]);
  });

  test('with --json keeps stderr one document', async () => {
    await givenPair();

    const { exitCode, stderr } = await cli(['transfers', 'confirm', ...IDS, '--json']);
    expect(exitCode).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({
      error: 'not_found',
      errors: IDS.map((id) => expect.stringContaining(id)),
    });
  });
});

describe('users', () => {
  test('are suspended, reactivated, promoted and deleted by typing the email, all of it on record', async () => {
    await givenFamily();
    await ok('users', 'create', '--email', 'bob@example.com');
    const [bob] = (await json('users', 'list')).filter(
      ({ email }: { email: string }) => email === 'bob@example.com',
    );

    await ok('users', 'suspend', 'bob@example.com', '--reason', 'lost laptop', '--yes');
    await ok('users', 'reactivate', 'bob@example.com');
    await ok('users', 'role', 'bob@example.com', 'admin');
    const password = await cli(['users', 'set-password', 'bob@example.com'], {
      stdin: 'correct horse battery\n',
    });
    expect(password.exitCode).toBe(0);
    expect((await cli(['users', 'delete', 'bob@example.com', '--yes'])).exitCode).toBe(2);
    expect((await cli(['users', 'delete', 'bob@example.com', '--confirm', 'rob@example.com'])).exitCode).toBe(
      4,
    );
    await ok('users', 'delete', 'bob@example.com', '--confirm', 'bob@example.com');

    const events = await json('audit', 'list', '--user', bob.id);
    expect(events.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'user_deleted',
      'password_changed',
      'role_changed',
      'user_reactivated',
      'user_suspended',
      'user_created',
    ]);
    expect(events[0]).toMatchObject({ actor_kind: 'cli' });
    expect(
      await json('audit', 'list', '--user', bob.id, '--event', 'role_changed', '--since', '1h'),
    ).toHaveLength(1);
  });

  test('keep a super admin among them', async () => {
    await givenFamily();

    for (const argv of [
      ['users', 'suspend', 'ada@example.com', '--yes'],
      ['users', 'role', 'ada@example.com', 'member'],
      ['users', 'delete', 'ada@example.com', '--confirm', 'ada@example.com'],
    ]) {
      const { exitCode, stderr } = await cli(argv);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 4,
        stderr: expect.stringContaining('last active super admin'),
      });
    }
  });
});

describe('every exit code', () => {
  test.each([
    [2, ['transfers', 'frobnicate']],
    [2, ['accounts', 'create', 'X']],
    [3, ['transfers', 'confirm', '0198c000-0000-7000-8000-000000000000']],
    [3, ['api-keys', 'create', '--user', 'nobody@example.com', '--name', 'x']],
    [5, ['accounts', 'create', 'Checking', '--type', 'depository']],
    [5, ['families', 'create', 'X', '--currency', 'XXQ']],
    [5, ['users', 'create', '--email', 'nonsense']],
  ])('%i for %j', async (expected, argv) => {
    await givenFamily();

    const { exitCode, stdout, stderr } = await cli(argv);

    expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: '' });
    expect(stderr).toMatch(/^error: /m);
  });

  test('7 when there is no database to reach', async () => {
    const { exitCode, stderr } = await runCli(['db', 'status'], {
      runtime: { ...harness.runtime, pool: failing() },
    });

    expect(exitCode).toBe(7);
    expect(stderr).toContain('hint: ');
  });
});

/** A pool whose database refuses every connection. */
function failing() {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  return new Proxy(harness.runtime.pool, {
    get: (pool, name) =>
      name === 'query' || name === 'connect' ? () => Promise.reject(refused) : Reflect.get(pool, name),
  });
}

/** A fingerprint of every table a command writes to. */
const snapshot = async () => {
  const tables = [
    'families',
    'users',
    'accounts',
    'api_keys',
    'imports',
    'entries',
    'transactions',
    'transfers',
    'rejected_transfers',
    'audit_events',
    'sessions',
    'invitations',
    'password_resets',
  ];
  return Promise.all(
    tables.map((table) =>
      harness.query(`select md5(string_agg(t::text, '|' order by t::text)) as sum from ${table} t`),
    ),
  );
};

test('a dry run of every writing command leaves the database as it is', async () => {
  const id = await givenPair();
  await ok('users', 'create', '--email', 'bob@example.com');
  await cli(['users', 'set-password', 'bob@example.com'], { stdin: 'correct horse battery' });
  await ok('users', 'invite', 'eve@example.com');
  const [bob] = await json('users', 'list', '--search', 'bob');
  await harness.perform((work) => startSession(work, { userId: bob.id, lifetimeHours: 1 }));
  const before = await snapshot();
  const file = await statementFile([['2026-05-05', '-5.00', 'new']]);

  for (const argv of [
    ['families', 'create', 'Jones', '--currency', 'EUR'],
    ['families', 'update', '--name', 'Smythe'],
    ['users', 'create', '--email', 'eve@example.com'],
    ['accounts', 'create', 'Third', '--type', 'loan'],
    ['accounts', 'update', 'Checking', '--name', 'Renamed'],
    ['api-keys', 'create', '--user', 'ada@example.com', '--name', 'x'],
    ['import', file, '--account', 'Checking'],
    ['transfers', 'match'],
    ['transfers', 'confirm', id],
    ['transfers', 'reject', id],
    ['users', 'invite', 'ann@example.com'],
    ['users', 'uninvite', 'eve@example.com'],
    ['users', 'reset-password', 'bob@example.com'],
    ['users', 'sessions', 'bob@example.com', '--revoke'],
    ['users', 'suspend', 'bob@example.com'],
    ['users', 'role', 'bob@example.com', 'admin'],
    ['users', 'delete', 'bob@example.com', '--confirm', 'bob@example.com'],
    ['demo', 'load'],
  ]) {
    for (const way of [{ argv: [...argv, '--dry-run'] }, { argv, env: { DRY_RUN: 'true' } }]) {
      const { exitCode, stderr } = await cli(way.argv, 'env' in way && way.env ? { env: way.env } : {});
      expect(exitCode, `${argv.join(' ')}: ${stderr}`).toBe(0);
      expect(stderr, argv.join(' ')).toContain('DRY RUN: nothing was saved');
    }
  }

  expect(await snapshot()).toEqual(before);
});

test('the sample household prints what a program needs to try it', async () => {
  const demo = await json('demo', 'load');

  expect(Object.keys(demo).toSorted()).toEqual(
    [
      'account_id',
      'api_key',
      'base_url',
      'family_id',
      'read_write_key',
      'rejected_transfer_id',
      'transaction_id',
      'users',
    ].toSorted(),
  );
  expect((await cli(['demo', 'load'])).exitCode).toBe(4);
  await ok('demo', 'clear', '--yes');
  expect(await json('families', 'list')).toEqual([]);
});

test('text in stored names cannot steer a terminal', async () => {
  await givenFamily();
  await harness.query(`update accounts set name = 'evil' || chr(27) || '[2J' where name = 'Savings'`);

  expect(await ok('accounts', 'list')).not.toContain('\u001b');
});

test('a result file is written whole, for its owner only', async () => {
  await givenFamily();
  const file = `${await statementFile([])}.out`;

  await ok('accounts', 'list', '--format', 'csv', '--output', file);
  expect(await readFile(file, 'utf8')).toContain('Checking');
  expect((await cli(['accounts', 'list', '--output', file])).exitCode).not.toBe(0);
});
