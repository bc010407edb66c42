import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveAuditEvents } from '#src/audit/archive/archive-audit-events.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import { restoreArchives } from '#src/audit/archive/restore-archives.ts';
import { planSegments } from '#src/audit/export/plan-export.ts';
import type { Job } from '#src/kernel/job.ts';
import { type GivenEvent, givenEvents } from '#test/audit/given-events.ts';
import { runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenUser } from '#test/users/given-user.ts';

const folder = mkdtempSync(join(tmpdir(), 'finance-export-'));
const archiveFolder = join(folder, 'archive');
const harness = useRuntime(
  { AUDIT_RETENTION: 'compliance', AUDIT_ARCHIVE_URL: archiveFolder },
  { shared: true },
);

const DAY_MS = 86_400_000;
const today = new Date().toISOString().slice(0, 10);
const dayAt = (daysAgo: number) => new Date(Date.parse(today) - daysAgo * DAY_MS).toISOString().slice(0, 10);
/** The day through which the limit of the database goes at this moment. */
const boundary = `${Number(today.slice(0, 4)) - 1}${today.slice(4).replace('02-29', '02-28')}`;
/** Each has an event at its very beginning, one at its very end and some between. */
const DAYS = [dayAt(405), dayAt(402), dayAt(401), boundary, dayAt(300), dayAt(200), dayAt(95), dayAt(3)];

const provider = 'okta';
const someone = randomUUID();
let ada = '';
let everything = '';

const job: Job = {
  get runtime() {
    return harness.runtime;
  },
  signal: new AbortController().signal,
  dryRun: false,
  perform: (task) => harness.perform(task),
};

const cli = (...argv: string[]) => runCli(['audit', 'export', ...argv], { runtime: harness.runtime });
const ofTest = (...argv: string[]) => cli('--until', today, ...argv);
const archiveFiles = () =>
  readdirSync(archiveFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ndjson.gz'),
  );

beforeAll(async () => {
  ada = (await givenUser(harness, 'ada@example.com')).id;
  await givenEvents(harness, DAYS.flatMap(eventsOf));
  everything = (await ofTest()).stdout;
  const { archives, deleted } = await archiveAuditEvents(job);
  expect([archives.length, deleted]).toEqual([7, 3 * 4 + 1]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function eventsOf(day: string): GivenEvent[] {
  return [
    { created_at: `${day}T00:00:00Z`, user_id: ada, event_type: 'login', provider },
    {
      created_at: `${day}T12:00:00.123456Z`,
      user_id: someone,
      event_type: 'logout',
      user_agent: '=1+1\u202e',
    },
    {
      created_at: `${day}T12:00:00.123456Z`,
      user_id: someone,
      actor_id: ada,
      metadata: { note: 'zoë', n: 1 },
    },
    { created_at: `${day}T23:59:59.999999Z`, user_id: ada, event_type: 'login' },
  ];
}

describe('audit export --include-archive', () => {
  test('is the log as it was before anything left the database', async () => {
    const { stdout, stderr } = await ofTest('--include-archive');

    expect(everything.split('\n')).toHaveLength(4 * DAYS.length + 1);
    expect(parsed(stdout)).toEqual(parsed(everything));
    expect(stderr).toContain('Exported 32 events, those of 4 days from the archive');
  });

  test('is the same document in every format', async () => {
    const [json, csv, ndjson] = await Promise.all([
      ofTest('--include-archive', '--json'),
      ofTest('--include-archive', '--format', 'csv'),
      ofTest('--include-archive'),
    ]);

    expect(JSON.parse(json.stdout)).toEqual(parsed(ndjson.stdout));
    expect(csv.stdout.split('\n')).toHaveLength(4 * DAYS.length + 2);
    expect(csv.stdout.match(/,'=1\+1\\u202e,/g)).toHaveLength(DAYS.length);
  });

  test.each([
    ['--user', 'ada@example.com'],
    ['--actor-user', 'ada@example.com'],
    ['--event', 'logout'],
    ['--provider', provider],
    ['--since', `${dayAt(402)}T12:00:00.123Z`],
    ['--since', `${dayAt(402)}T12:00:00.124Z`],
    ['--until', `${boundary}T12:00:00.123Z`],
    ['--until', `${boundary}T12:00:00.124Z`],
    ['--since', dayAt(401)],
    ['--since', dayAt(250)],
    ['--until', dayAt(402)],
  ])('with %s %s picks what it would have picked before', async (flag, value) => {
    const { stdout } = await ofTest('--include-archive', flag, value);
    const expected = parsed(everything).filter((event) => fits(event, flag, value));

    expect(expected.length).toBeGreaterThan(0);
    expect(parsed(stdout)).toEqual(expected);
  });

  test('reads a day that has been brought back in the database', async () => {
    await restoreArchives(job, { since: new Date(dayAt(402)), until: new Date(dayAt(400)) });

    const { stdout, stderr } = await ofTest('--include-archive');
    // They are past their time and go again.
    expect((await archiveAuditEvents(job)).deleted).toBe(2 * 4);

    expect(parsed(stdout)).toEqual(parsed(everything));
    expect(stderr).toContain('those of 2 days from the archive');
  });
});

describe('audit export without --include-archive', () => {
  test('says which older days are in the archive', async () => {
    const { stdout, stderr } = await ofTest('--until', dayAt(350));

    expect(parsed(stdout)).toHaveLength(3);
    expect(stderr).toContain(
      `Older events from ${dayAt(405)} to ${boundary} are in the archive; --include-archive exports them too`,
    );
  });

  test.each([
    ['--since', dayAt(300)],
    ['--include-archive', '--quiet'],
  ])('does not with %s %s', async (...flags) => {
    const { stderr } = await ofTest(...flags);

    expect(stderr).not.toContain('--include-archive');
  });
});

/** Of the oldest day. */
const oldestFile = () => join(archiveFolder, archiveFiles().find((name) => name.includes(dayAt(405))) ?? '');

describe('an archive', () => {
  const output = join(folder, 'out.ndjson');
  const exportAll = () => ofTest('--include-archive', '-o', output);

  test('that is missing stops the export, which names it and leaves no file', async () => {
    const path = oldestFile();
    renameSync(path, `${path}.away`);
    const { exitCode, stderr } = await exportAll();
    renameSync(`${path}.away`, path);

    expect(exitCode).toBe(5);
    expect(stderr).toContain(`the archive of ${dayAt(405)} is missing`);
    expect(stderr).toContain(basename(path));
    expect(readdirSync(folder)).toEqual(['archive']);
  });

  test('that has been changed by one bit does too', async () => {
    const path = oldestFile();
    const original = readFileSync(path);
    const changed = Buffer.from(original);
    changed[20] = (changed[20] ?? 0) ^ 1;
    writeFileSync(path, changed);
    const { exitCode, stderr } = await exportAll();
    writeFileSync(path, original);

    expect(exitCode).toBe(5);
    expect(stderr).toContain(`the archive of ${dayAt(405)} has been changed`);
    expect(stderr).toContain(basename(path));
    expect(readdirSync(folder)).toEqual(['archive']);
  });

  test('is not looked at for days that the database still has', async () => {
    const path = oldestFile();
    renameSync(path, `${path}.away`);
    const { exitCode } = await ofTest('--include-archive', '--since', dayAt(300));
    renameSync(`${path}.away`, path);

    expect(exitCode).toBe(0);
  });
});

const parsed = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** As the command's own options, over an event that was exported. */
function fits(event: Record<string, unknown>, flag: string, value: string): boolean {
  const at = String(event.created_at);
  if (flag === '--user') return event.user_email === value;
  if (flag === '--actor-user') return event.actor_email === value;
  if (flag === '--event') return event.event_type === value;
  if (flag === '--provider') return event.provider === value;
  const moment = new Date(value).toISOString();
  return flag === '--since' ? at >= moment : at < moment;
}

const archiveOf = (day: number) =>
  ({ day: new Date(day * DAY_MS).toISOString().slice(0, 10) }) as unknown as ArchiveRecord;

describe('the segments of an export', () => {
  const hour = fc.integer({ min: 0, max: 24 * 12 }).map((hours) => new Date(hours * 3_600_000));
  const bound = fc.option(hour, { nil: undefined });
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { maxLength: 12 });

  test('cover every moment once, in order, and archived days by their archives', () => {
    fc.assert(
      fc.property(days, bound, bound, (archived, since, until) => {
        const sorted = archived.toSorted((one, other) => one - other);
        // As the database finds them.
        const touched = sorted.filter(
          (day) =>
            (!since || since < new Date((day + 1) * DAY_MS)) && (!until || new Date(day * DAY_MS) < until),
        );
        const segments = planSegments(touched.map(archiveOf), { since, until });
        for (let at = 0; at < 12 * 24; at += 1) {
          const moment = new Date(at * 3_600_000);
          if ((since && moment < since) || (until && moment >= until)) continue;
          const covering = segments.filter((segment) =>
            segment.archive
              ? moment.toISOString().startsWith(segment.archive.day)
              : (!segment.since || segment.since <= moment) && (!segment.until || moment < segment.until),
          );
          expect(covering).toHaveLength(1);
          expect(covering[0]?.archive !== undefined).toBe(archived.includes(Math.floor(at / 24)));
        }
      }),
    );
  });
});
