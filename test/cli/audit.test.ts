import { describe, expect, test } from 'vitest';
import { run } from '#cli/program.ts';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { perform } from '#src/kernel/perform.ts';
import { bufferedOutside, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenUser } from '#test/users/given-user.ts';

const harness = useRuntime();

const cli = (...argv: string[]) => runCli(argv, { runtime: harness.runtime });

const record = (userId: string, provider?: string, email = 'x@example.com') =>
  perform(harness.runtime, { actor: { kind: 'web', userAgent: '=cmd()' } }, async (work) =>
    recordAuditEvent(work, 'login_failed', { userId, provider, metadata: { email } }),
  );

describe('financectl audit list', () => {
  test('is filtered by provider, and by who did it', async () => {
    const { id, familyId } = await givenUser(harness, 'root@example.com');
    await givenUser(harness, 'ada@example.com', { familyId });
    await record(id, 'okta');
    await record(id);
    await cli('users', 'role', 'ada@example.com', 'admin', '--actor', 'root@example.com');

    const okta = await cli('audit', 'list', '--user', id, '--provider', 'okta', '--json');
    expect(JSON.parse(okta.stdout)).toMatchObject([
      { event_type: 'login_failed', provider: 'okta', user_email: 'root@example.com', metadata: {} },
    ]);
    const done = await cli('audit', 'list', '--actor-user', 'root@example.com', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject([
      {
        event_type: 'role_changed',
        user_email: 'ada@example.com',
        actor_email: 'root@example.com',
        metadata: { old: 'member', new: 'admin' },
      },
    ]);
  });

  test('as CSV has every field, none of them a formula', async () => {
    const { id } = await givenUser(harness, 'root@example.com');
    await record(id);

    const { stdout } = await cli('audit', 'list', '--user', id, '--limit', '1', '--format', 'csv');

    const [heading, row] = stdout.split('\n');
    expect(heading).toBe(
      'created_at,event_type,user_id,user_email,actor_kind,actor_id,actor_email,provider,ip_address,user_agent,request_id,metadata,id',
    );
    expect(row).toContain(',login_failed,');
    expect(row).toContain(",'=cmd(),");
  });

  test('says when there are older ones', async () => {
    const { id } = await givenUser(harness, 'root@example.com');
    await record(id);

    const { stderr } = await cli('audit', 'list', '--user', id, '--limit', '1');

    expect(stderr).toContain('The newest 1; --limit and --until show older ones');
  });
});

/** Starts to follow the log; the test reads what has come, and interrupts. */
function follow(argv: string[], terminal: { stdout?: boolean; columns?: number } = {}) {
  const stop = new AbortController();
  const options = { runtime: harness.runtime, signal: stop.signal, terminal };
  const { outside, stdout, stderr } = bufferedOutside(options);
  const ended = run(['audit', 'list', '--follow', ...argv], outside);
  return {
    lines: () => stdout.text().split('\n').slice(0, -1),
    leave: () => {
      stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      return ended;
    },
    interrupt: async () => {
      stop.abort('SIGINT');
      return { exitCode: await ended, stderr: stderr.text() };
    },
  };
}

describe('financectl audit list --follow', () => {
  test('goes on with what happens until it is interrupted', async () => {
    const { id } = await givenUser(harness, 'root@example.com');
    for (const email of ['first@', 'second@', 'third@']) await record(id, undefined, email);

    const { lines, interrupt } = follow(['--user', id, '--limit', '2', '--format', 'ndjson']);
    const emails = () => lines().map((line) => JSON.parse(line).metadata.email);
    await expect.poll(emails, { timeout: 10_000 }).toEqual(['second@', 'third@']);
    await record(id, undefined, 'fourth@');
    await expect.poll(emails, { timeout: 10_000 }).toEqual(['second@', 'third@', 'fourth@']);
    const { exitCode, stderr } = await interrupt();

    expect(exitCode).toBe(130);
    expect(stderr).toContain('interrupted');
    expect(emails()).toHaveLength(3);
  });

  test.each([
    ['csv', {}, /^created_at,event_type,/],
    ['table', {}, /^WHEN\tEVENT\t/],
    ['table', { stdout: true, columns: 200 }, /^WHEN {2,}EVENT {2,}/],
  ])('as %s on %j has one heading, whenever the first event comes', async (format, terminal, heading) => {
    const { id } = await givenUser(harness, 'root@example.com');
    const filter = ['--user', id, '--event', 'login_failed', '--format', format];

    const { lines, interrupt } = follow(filter, terminal);
    await record(id, undefined, 'first@');
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(2);
    await record(id, 'okta', 'second@');
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(3);
    await interrupt();

    const [first, ...rest] = lines();
    expect(first).toMatch(heading);
    expect(rest[0]).toContain('first@');
    expect(rest[1]).toContain('second@');
    if ('stdout' in terminal) {
      expect(rest.map((line) => line.indexOf('login_failed'))).toEqual(
        rest.map(() => (first ?? '').indexOf('EVENT')),
      );
    }
  });

  test('ends when nobody reads any more', async () => {
    const { id } = await givenUser(harness, 'root@example.com');
    await record(id);
    const { lines, leave } = follow(['--user', id]);
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBeGreaterThan(1);

    expect(await leave()).toBe(0);
  });

  test.each([
    [['--json'], '--format ndjson'],
    [['--format', 'json'], '--format ndjson'],
    [['-o', '/tmp/never-written'], '--output'],
    [['--until', '2026-01-01'], '--until'],
  ])('with %j is a usage error', async (argv, text) => {
    const { exitCode, stderr } = await cli('audit', 'list', '--follow', ...argv);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });
});
