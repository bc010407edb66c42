import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { summarizeFailures } from '#src/audit/summarize-failures.ts';
import { logInLocally } from '#src/auth/log-in-locally.ts';
import type { Work } from '#src/kernel/work.ts';
import { deleteUser } from '#src/users/delete-user.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { type Harness, useRuntime } from '#test/support/database.ts';
import { givenUser, PASSWORD } from '#test/users/given-user.ts';

const DAY = 86_400_000;

interface Failure {
  email?: string;
  userId?: string;
  address?: string;
  provider?: string;
  reason?: string;
  /** Minutes after the test's beginning. */
  minute?: number;
  type?: string;
}

const INSERT = `insert into audit_events
  (id, created_at, event_type, user_id, actor_kind, provider, ip_address, metadata)
select gen_random_uuid(), $1, $2, $3, 'web', $4, $5, $6 from generate_series(1, $7::integer)`;

/** Writes the same event several times, as nobody but a test could: at any time, with any text. */
async function insert(harness: Harness, at: Date, failure: Failure, times = 1): Promise<void> {
  const { email, userId, address, provider, reason = 'wrong_password', type = 'login_failed' } = failure;
  const metadata = JSON.stringify({ reason, email });
  await harness.query(INSERT, [at, type, userId, provider, address, metadata, times]);
}

describe('financectl audit failures', () => {
  const harness = useRuntime();
  // Nobody can empty the log, so each test has days of its own, later than those of the tests that ran before.
  let today = Date.parse('2002-01-01');

  /** Fills a day with failures; answers with the command that looks at what happened since. */
  async function given(...failures: [Failure, times?: number][]) {
    today += DAY;
    const begun = today;
    for (const [failure, times] of failures) {
      await insert(harness, new Date(begun + (failure.minute ?? 0) * 60_000), failure, times);
    }
    const since = new Date(begun).toISOString();
    return {
      begun,
      run: (argv: string[] = [], options: CliOptions = {}) =>
        runCli(['audit', 'failures', '--since', since, ...argv], { runtime: harness.runtime, ...options }),
    };
  }

  test('sums them by account, address and provider, most first, each with its reasons and the newest', async () => {
    const { id } = await givenUser(harness, 'ada@example.com');
    const address = '192.0.2.1';
    const { begun, run } = await given(
      [{ userId: id, email: 'typed@example.com', address, minute: 1 }, 2],
      [{ userId: id, address: '2001:db8::1', provider: 'okta', reason: 'suspended', minute: 9 }, 3],
      [{ email: 'Nobody@example.com', address, reason: 'unknown_user', minute: 3 }],
      [{ email: 'nobody@example.com', reason: 'throttled', minute: 2 }],
      [{ userId: id, type: 'login', minute: 20 }],
    );

    const { exitCode, stdout, stderr } = await run(['--json']);

    const at = (minute: number) => new Date(begun + minute * 60_000).toISOString();
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      {
        kind: 'account',
        value: 'ada@example.com',
        failures: 5,
        reasons: { suspended: 3, wrong_password: 2 },
        last: at(9),
      },
      {
        kind: 'account',
        value: 'nobody@example.com',
        failures: 2,
        reasons: { throttled: 1, unknown_user: 1 },
        last: at(3),
      },
      { kind: 'address', value: '2001:db8::1', failures: 3, reasons: { suspended: 3 }, last: at(9) },
      {
        kind: 'address',
        value: address,
        failures: 3,
        reasons: { wrong_password: 2, unknown_user: 1 },
        last: at(3),
      },
      {
        kind: 'provider',
        value: 'local',
        failures: 4,
        reasons: { wrong_password: 2, throttled: 1, unknown_user: 1 },
        last: at(3),
      },
      { kind: 'provider', value: 'okta', failures: 3, reasons: { suspended: 3 }, last: at(9) },
    ]);
  });

  test('names an account that has gone by the email that was typed, else by its id', async () => {
    await givenUser(harness, 'root@example.com');
    const { id, familyId } = await givenUser(harness, 'gone@example.com');
    await givenUser(harness, 'stays@example.com', { familyId });
    const { run } = await given([{ userId: id, email: 'gone@example.com' }, 2], [{ userId: id }]);
    await harness.perform((work) => deleteUser(work, { user: id, confirmation: 'gone@example.com' }));

    const { stdout } = await run(['--format', 'ndjson']);

    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { kind: 'account', value: 'gone@example.com', failures: 2 },
      { kind: 'account', value: id, failures: 1 },
      { kind: 'provider', value: 'local', failures: 3 },
    ]);
  });

  test('counts what has neither account, address nor reason by provider alone', async () => {
    const { run, begun } = await given();
    const values = [new Date(begun), 'login_failed', null, null, null, '{"email": "", "reason": null}', 2];
    await harness.query(INSERT, values);

    const { stdout } = await run(['--json']);

    expect(JSON.parse(stdout)).toMatchObject([
      { kind: 'provider', value: 'local', failures: 2, reasons: { unknown: 2 } },
    ]);
  });

  test('looks at nothing before the moment, and at the moment itself', async () => {
    const { run } = await given([{ email: 'early@example.com', minute: -0.001 }], [{ email: 'just@x.org' }]);

    const { stdout } = await run(['--json']);

    expect(stdout).toContain('just@x.org');
    expect(stdout).not.toContain('early@example.com');
  });

  test('shows as many of each kind as --limit says, the worst of them, and says when there are more', async () => {
    const { run } = await given(
      [{ email: 'one@example.com', address: '192.0.2.1' }],
      [{ email: 'two@example.com', address: '192.0.2.2' }, 2],
    );

    const one = await run(['--limit', '1', '--json']);
    const two = await run(['--limit', '2', '--json']);

    expect(JSON.parse(one.stdout)).toMatchObject([
      { value: 'two@example.com' },
      { value: '192.0.2.2' },
      { value: 'local', failures: 3 },
    ]);
    expect(one.stderr).toBe('Only the first 1 of each kind; --limit shows more\n');
    expect(JSON.parse(two.stdout)).toHaveLength(5);
    expect(two.stderr).toBe('');
  });

  test('is a list like the others: tab-separated, aligned or CSV', async () => {
    const { run } = await given(
      [{ email: '=cmd()', address: '192.0.2.1', reason: 'unknown_user' }, 2],
      [{ email: '=cmd()', reason: 'throttled' }],
    );

    const plain = await run();
    const bare = await run(['--no-header']);
    const terminal = await run([], { terminal: { stdout: true, columns: 120 } });
    const csv = await run(['--format', 'csv']);

    const [heading, account] = plain.stdout.split('\n');
    expect(heading).toBe('KIND\tVALUE\tFAILURES\tREASONS\tLAST');
    expect(account).toMatch(/^account\t=cmd\(\)\t3\tunknown_user 2, throttled 1\t2002-\d\d-\d\d 00:00$/);
    expect(`${heading}\n${bare.stdout}`).toBe(plain.stdout);
    expect(terminal.stdout).toMatch(/^KIND {2,}VALUE {2,}FAILURES {2,}REASONS {2,}LAST\n/);
    expect(csv.stdout).toMatch(
      /^kind,value,failures,reasons,last\naccount,'=cmd\(\),3,"\{""unknown_user"":2,""throttled"":1\}",2002-/,
    );
  });

  test('without any says so, and that is fine', async () => {
    const { run } = await given();

    const plain = await run(['--exit-code', '--threshold', '1']);
    const json = await run(['--exit-code', '--json']);

    expect(plain).toEqual({ exitCode: 0, stdout: '', stderr: 'No sign-in has failed\n' });
    expect(json).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  test.each([
    ['terminal', [], { terminal: { stdout: true, stderr: true, columns: 300 } }],
    ['pipe', [], {}],
    ['json', ['--json'], {}],
    ['ndjson', ['--format', 'ndjson'], {}],
    ['csv', ['--format', 'csv'], {}],
  ])('lets nothing that was typed reach the %s as a command', async (_, argv, options) => {
    const hostile = 'a\u001b[2J\u009b1m\u202e\r\nerror: b@example.com';
    const { run } = await given([{ email: hostile, address: hostile, reason: hostile, provider: hostile }]);

    const { exitCode, stdout, stderr } = await run(
      [...argv, '--no-color', '--exit-code', '--threshold', '1'],
      options,
    );

    expect(exitCode).toBe(8);
    expect(stdout).toContain('\\u001b[2J\\u009b1m\\u202e');
    expect(stderr).toContain('\\u001b[2J\\u009b1m\\u202e');
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\t\n]|\u202e/u);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test.each([
    ['--since', 'yesterday'],
    ['--since', '0h'],
    ['--threshold', '0'],
    ['--threshold', '-1'],
    ['--threshold', 'many'],
    ['--limit', '0'],
  ])('%s %s is a usage error', async (option, value) => {
    const { exitCode, stderr } = await runCli(['audit', 'failures', option, value]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(option);
  });

  describe('--exit-code', () => {
    const nine = Array.from({ length: 9 }, (_, index) => index);

    test.each<[kind: string, (index: number) => Failure]>([
      ['account', (i) => ({ email: 'a@x.org', address: `192.0.2.${i}`, provider: `p${i}` })],
      ['address', (i) => ({ email: `${i}@x.org`, address: '192.0.2.1', provider: `p${i}` })],
      ['provider', (i) => ({ email: `${i}@x.org`, address: `192.0.2.${i}`, provider: 'okta' })],
    ])('is 8 when a single %s reaches the threshold, not one failure before', async (kind, failure) => {
      const { run } = await given(...nine.map((index): [Failure] => [failure(index)]));

      const reached = await run(['--exit-code', '--threshold', '9', '--limit', '1']);
      const before = await run(['--exit-code', '--threshold', '10', '--limit', '1']);

      expect(reached.exitCode).toBe(8);
      expect(reached.stderr).toMatch(
        new RegExp(`^error: threshold of 9 failed sign-ins reached: ${kind} [^ ]+ \\(9\\)$`, 'm'),
      );
      expect(before.exitCode).toBe(0);
      expect(before.stdout).toBe(reached.stdout);
      expect(before.stderr).not.toContain('threshold');
    });

    test('takes 10 for the threshold', async () => {
      const { run } = await given([{ email: 'a@example.com' }, 9]);

      const nine = await run(['--exit-code']);
      await insert(harness, new Date(today), { email: 'a@example.com' });
      const ten = await run(['--exit-code']);

      expect([nine.exitCode, ten.exitCode]).toEqual([0, 8]);
    });

    test('is left out: the threshold is only told, and --quiet leaves that out too', async () => {
      const { run } = await given([{ email: 'a@example.com' }, 3]);

      const told = await run(['--threshold', '3']);
      const quiet = await run(['--threshold', '3', '--quiet']);

      expect(told.exitCode).toBe(0);
      expect(told.stderr).toBe(
        'threshold of 3 failed sign-ins reached: account a@example.com (3), provider local (3)\n',
      );
      expect(quiet).toEqual({ ...told, stderr: '' });
    });

    test('leaves the result whole: on stdout beside a JSON error, and in the file of --output', async () => {
      const { run } = await given([{ email: 'a@example.com' }, 3]);
      const folder = await mkdtemp(join(tmpdir(), 'failures-'));
      const file = join(folder, 'failures.json');

      const shown = await run(['--exit-code', '--threshold', '3', '--json']);
      const saved = await run(['--exit-code', '--threshold', '3', '--json', '-o', file]);
      const content = await readFile(file, 'utf8');
      await rm(folder, { recursive: true });

      expect(JSON.parse(shown.stdout)).toHaveLength(2);
      expect(JSON.parse(shown.stderr)).toEqual({
        error: 'threshold_reached',
        message: 'threshold of 3 failed sign-ins reached: account a@example.com (3), provider local (3)',
        hint: null,
      });
      expect(saved).toMatchObject({ exitCode: 8, stdout: '' });
      expect(content).toBe(shown.stdout);
    });
  });

  test('records nothing', async () => {
    const { run } = await given([{ email: 'a@example.com' }]);
    const sum = `select count(*), md5(string_agg(e::text, '|' order by id)) from audit_events e`;
    const before = await harness.query(sum);

    await run(['--exit-code', '--threshold', '1']);

    expect(await harness.query(sum)).toEqual(before);
  });

  test('reads a long log by the index of its type and time', async () => {
    await harness.query(
      `insert into audit_events (id, created_at, event_type, user_id, actor_kind, ip_address, metadata)
       select gen_random_uuid(), timestamptz '2001-01-01' + n * interval '10 minutes',
         case when n % 10 = 0 then 'login_failed' else 'login' end, $1, 'web', '192.0.2.' || n % 250,
         jsonb_build_object('reason', 'wrong_password', 'email', n % 5000 || '@example.com')
       from generate_series(1, 50000) n`,
      [randomUUID()],
    );
    await harness.query('analyze audit_events');

    const plan = await planOf(harness, new Date('2001-12-13'));

    expect(plan).toContain('audit_events_by_type');
    expect(plan).toMatch(/Index Cond: .*event_type = 'login_failed'.*created_at >= /);
    expect(plan).not.toContain('Seq Scan on audit_events');
  });
});

/** How the database would go about the operation's one statement. */
async function planOf(harness: Harness, since: Date): Promise<string> {
  const plans: string[] = [];
  await harness.perform(async (work) => {
    const explain: Work['sql'] = async (text, values) => {
      const lines = await work.sql<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      return [];
    };
    await summarizeFailures({ ...work, sql: explain }, { since, limit: 20 });
  });
  expect(plans).toHaveLength(1);
  return plans.join('\n');
}

describe('financectl audit failures without --since', () => {
  const harness = useRuntime();

  test('sums up what the sign-in itself has recorded in the last 24 hours', async () => {
    await givenUser(harness, 'ada@example.com', { password: PASSWORD });
    const actor = { kind: 'web', ipAddress: '192.0.2.1' } as const;
    for (const email of ['Ada@example.com', 'nobody@example.com', 'ada@example.com ']) {
      const given = { email, password: 'wrong', source: '192.0.2.1' };
      await expect(logInLocally(harness.runtime, actor, given)).rejects.toThrow('wrong');
    }
    await insert(harness, new Date(Date.now() - DAY - 60_000), { email: 'older@example.com' });
    await insert(harness, new Date(Date.now() - DAY + 60_000), { email: 'younger@example.com' });

    const { stdout } = await runCli(['audit', 'failures', '--json'], { runtime: harness.runtime });

    expect(JSON.parse(stdout)).toMatchObject([
      { kind: 'account', value: 'ada@example.com', failures: 2, reasons: { wrong_password: 2 } },
      { kind: 'account', value: 'nobody@example.com', failures: 1, reasons: { unknown_user: 1 } },
      { kind: 'account', value: 'younger@example.com', failures: 1 },
      { kind: 'address', value: '192.0.2.1', failures: 3 },
      { kind: 'provider', value: 'local', failures: 4, reasons: { wrong_password: 3, unknown_user: 1 } },
    ]);
  });

  test('says in its help how far it looks back, and which exit code to expect', async () => {
    const { stdout } = await runCli(['audit', 'failures', '--help']);

    expect(stdout).toContain('24h');
    expect(stdout).toContain('exit with 8');
  });
});
