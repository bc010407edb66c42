import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openHost } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Column, listOptions, printFields, printList } from '#cli/render.ts';
import type { Flags } from '#cli/surface.ts';
import { bufferedOutside, type CliOptions } from '#test/support/cli.ts';

interface Row {
  name: string;
  amount: number;
  note: string | null;
}

const COLUMNS: Column<Row>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'amount_cents', header: 'AMOUNT', value: ({ amount }) => amount, align: 'right' },
  { key: 'note', value: ({ note }) => note },
  { key: 'shout', value: ({ name }) => name.toUpperCase(), detail: true },
];
const ROWS: Row[] = [
  { name: 'Coffee', amount: -450, note: null },
  { name: 'Rent', amount: 120_000, note: 'first, of "many"' },
];
const HOSTILE = 'a\u001b[31mb\u009b2Jc\u202ed\u0007e\tf\ng\u2028h';

async function list(
  flags: Partial<Flags>,
  { rows = ROWS, header = true, ...options }: CliOptions & { rows?: Row[]; header?: boolean } = {},
) {
  const { outside, stdout, stderr } = bufferedOutside(options);
  const host = openHost(outside, () => ({ color: true, input: true, ...flags }));
  await host.prepare(listOptions(new Command('list')));
  await printList(host, { header }, { rows, columns: COLUMNS, empty: 'Nothing here' });
  return { stdout: stdout.text(), stderr: stderr.text() };
}

const onTerminal = { terminal: { stdout: true } };

describe('a list', () => {
  const PEOPLE: Column<string>[] = [
    { key: 'email', value: (email) => email },
    { key: 'family', value: () => 'a family of some length' },
    { key: 'role', value: () => 'super_admin', kept: true },
    { key: 'id', value: () => '0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e', whole: true },
  ];

  test.each([
    [80, ['EMAIL', 'ROLE', 'ID']],
    [50, ['EMAIL', 'FAMILY', 'ROLE']],
    [30, ['EMAIL', 'ROLE']],
  ])('of %i columns leaves out the id before what is kept', async (columns, expected) => {
    const { outside, stdout } = bufferedOutside({ terminal: { stdout: true, columns } });
    const host = openHost(outside, () => ({ color: true, input: true }));

    await printList(host, { header: true }, { rows: ['ada@example.com'], columns: PEOPLE, empty: '' });

    expect(stdout.text().split('\n')[0]?.split(/ +/)).toEqual(expected);
  });

  test('is aligned, without borders, on a terminal', async () => {
    const { stdout } = await list({}, onTerminal);

    expect(stdout).toBe(
      ['NAME    AMOUNT  NOTE', 'Coffee    -450  -', 'Rent    120000  first, of "many"', ''].join('\n'),
    );
  });

  test('is cut to the width of the terminal, and only there', async () => {
    const rows = [{ name: 'x'.repeat(200), amount: 1, note: 'y'.repeat(200) }];
    const narrow = await list({}, { rows, terminal: { stdout: true, columns: 60 } });
    const fromEnvironment = await list(
      {},
      { rows, terminal: { stdout: true, columns: 200 }, env: { COLUMNS: '50' } },
    );
    const piped = await list({}, { rows });

    for (const line of narrow.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    for (const line of fromEnvironment.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
    expect(narrow.stdout).toContain('…');
    expect(piped.stdout).toContain('x'.repeat(200));
  });

  test('loses its last columns where the terminal is too narrow for all, and says which', async () => {
    const wide = { amount: 1, note: 'y'.repeat(30) };
    const { stdout, stderr } = await list(
      {},
      { rows: [{ name: 'x'.repeat(30), ...wide }], terminal: { stdout: true, columns: 38 } },
    );

    expect(stdout).toBe(`${'NAME'.padEnd(30)}  AMOUNT\n${'x'.repeat(30)}       1\n`);
    expect(stderr).toContain('No room for NOTE;');
  });

  test('loses columns that say nothing before others', async () => {
    const { outside, stdout } = bufferedOutside({ terminal: { stdout: true, columns: 30 } });
    const host = openHost(outside, () => ({ color: true, input: true }));
    const columns = ['first', 'empty', 'second', 'empty_too'].map(
      (key): Column<Record<string, string>> => ({ key, value: (row) => row[key] }),
    );
    const rows = [{ first: 'a'.repeat(14), second: 'b'.repeat(14) }];

    await printList(host, { header: true }, { rows, columns, empty: '' });

    expect(stdout.text()).toBe(`FIRST           SECOND\n${'a'.repeat(14)}  ${'b'.repeat(14)}\n`);
  });

  test('becomes paragraphs where not even the first column has room', async () => {
    const { stdout, stderr } = await list({}, { terminal: { stdout: true, columns: 5 } });

    expect(stdout).toBe(
      'NAME    Coffee\nAMOUNT  -450\nNOTE    -\n\nNAME    Rent\nAMOUNT  120000\nNOTE    first, of "many"\n',
    );
    expect(stderr).toBe('');
  });

  test('in YAML is what it is in JSON, whatever the text is', async () => {
    const notes = [
      '',
      'null',
      '~',
      '- a',
      '# b',
      "it's",
      '"',
      ' x ',
      'a: b',
      '2026-01-01',
      'no',
      'a\tb\nc',
      HOSTILE,
    ];
    const rows = notes.map((note) => ({ name: note, amount: 1, note }));
    const json = await list({ format: 'json' }, { rows });
    const yaml = await list({ format: 'yaml' }, { rows });

    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
    expect((await list({ format: 'yaml' }, { rows: [] })).stdout).toBe('[]\n');
  });

  test('is tab-separated in a pipe', async () => {
    const { stdout } = await list({});

    expect(stdout).toBe('NAME\tAMOUNT\tNOTE\nCoffee\t-450\t-\nRent\t120000\tfirst, of "many"\n');
  });

  test.each([
    [{}, 'Coffee\t-450\t-\nRent\t120000\tfirst, of "many"\n'],
    [{ format: 'csv' }, 'Coffee,-450,,COFFEE\nRent,120000,"first, of ""many""",RENT\n'],
  ])('has no heading with --no-header (%j)', async (flags, expected) => {
    const { stdout } = await list(flags, { header: false });

    expect(stdout).toBe(expected);
  });

  test('in JSON holds every column under its key', async () => {
    const expected = [
      { name: 'Coffee', amount_cents: -450, note: null, shout: 'COFFEE' },
      { name: 'Rent', amount_cents: 120_000, note: 'first, of "many"', shout: 'RENT' },
    ];
    const json = await list({ json: true });
    const format = await list({ format: 'json' });
    const ndjson = await list({ format: 'ndjson' });

    expect(JSON.parse(json.stdout)).toEqual(expected);
    expect(format.stdout).toBe(json.stdout);
    expect(ndjson.stdout).toBe(expected.map((row) => `${JSON.stringify(row)}\n`).join(''));
  });

  test.each([
    [{}, ''],
    [{ format: 'json' }, '[]\n'],
    [{ format: 'ndjson' }, ''],
    [{ format: 'csv' }, 'name,amount_cents,note,shout\n'],
  ])('without rows: %j prints %j', async (flags, expected) => {
    const { stdout, stderr } = await list(flags, { rows: [] });

    expect(stdout).toBe(expected);
    expect(stderr).toBe(expected === '[]\n' ? '' : 'Nothing here\n');
  });
});

describe('text that would do something to a terminal', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not come out
  const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/; // eslint-disable-line no-control-regex
  const rows = [{ name: HOSTILE, amount: 1, note: HOSTILE }];

  test.each([
    [{}, {}],
    [{}, onTerminal],
    [{ json: true as const }, onTerminal],
    [{ format: 'ndjson' }, {}],
    [{ format: 'csv' }, {}],
    [{ format: 'yaml' }, {}],
  ])('comes out written out (%j, %j)', async (flags, options) => {
    const { stdout } = await list(flags, { rows, ...options });

    expect(stdout).not.toMatch(UNSAFE);
    // YAML has a shorter word for it.
    expect(stdout).toMatch(/\\(u001b|e)\[31m/);
    expect(stdout).toContain('\\u202e');
  });

  test('is still the same text to a JSON parser', async () => {
    const { stdout } = await list({ json: true }, { rows });

    expect(JSON.parse(stdout)[0].name).toBe(HOSTILE);
  });

  test('stays in its cell of a tab-separated line', async () => {
    const { stdout } = await list({}, { rows });

    expect(stdout.split('\n')).toHaveLength(3);
    expect(stdout.split('\n')[1]?.split('\t')).toHaveLength(3);
  });

  test('is harmless in messages, fields and errors too', () => {
    const { outside, stdout, stderr } = bufferedOutside(onTerminal);
    const host = openHost(outside, () => ({ color: true, input: true }));

    say(host.io, `Created ${HOSTILE}`);
    printFields(host, [['name', HOSTILE]], {});

    expect(stdout.text() + stderr.text()).not.toMatch(UNSAFE);
    expect(stderr.text().trim().split('\n')).toHaveLength(1);
  });
});

describe('a CSV cell', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\\tx"],
    ['\rx', "'\\rx"],
    ['=A1,B1', `"'=A1,B1"`],
    ['two\nlines', '"two\nlines"'],
    ['say "hi"', '"say ""hi"""'],
    ['plain - text', 'plain - text'],
    [' padded', '" padded"'],
  ])('%j is written as %j', async (name, expected) => {
    const { stdout } = await list(
      { format: 'csv' },
      { rows: [{ name, amount: 1, note: null }], header: false },
    );

    expect(stdout.startsWith(`${expected},1,`)).toBe(true);
  });

  test('that is a number may be negative', async () => {
    const { stdout } = await list({ format: 'csv' }, { header: false });

    expect(stdout).toContain('Coffee,-450,');
  });
});
