import { describe, expect, test } from 'vitest';
import { isCalendarDate } from '#src/http/api/calendar-date.ts';
import { date, readFilters, search, uuid } from '#src/http/api/filters.ts';
import { presentPagination, readPageRequest } from '#src/http/api/pagination.ts';

const PARSERS = { account_id: uuid, start_date: date, search };
const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('readFilters', () => {
  test.each([
    [{}, {}],
    [{ account_id: '', start_date: '', search: '' }, {}],
    [{ account_id: ID }, { account_id: ID }],
    [{ account_id: ID.toUpperCase() }, { account_id: ID.toUpperCase() }],
    [{ start_date: '2024-02-29' }, { start_date: '2024-02-29' }],
    [{ search: '  coffee  ' }, { search: 'coffee' }],
    [{ search: '   ' }, {}],
    [{ search: '💶'.repeat(200) }, { search: '💶'.repeat(200) }],
    [{ unknown: ['a', 'b'] }, {}],
  ])('reads %j', (query, values) => {
    expect(readFilters(query, PARSERS)).toEqual({ values, problems: [] });
  });

  test.each([
    [{ account_id: 'x' }, 'account_id'],
    [{ account_id: ` ${ID}` }, 'account_id'],
    [{ account_id: `{${ID}}` }, 'account_id'],
    [{ account_id: ID.replaceAll('-', '') }, 'account_id'],
    [{ account_id: [ID, ID] }, 'account_id'],
    [{ account_id: ['', ''] }, 'account_id'],
    [{ account_id: `${ID}\0` }, 'account_id'],
    [{ start_date: '2023-02-29' }, 'start_date'],
    [{ start_date: 'yesterday' }, 'start_date'],
    [{ start_date: '2024-01-01\0' }, 'start_date'],
    [{ start_date: ['2024-01-01', '2024-01-01'] }, 'start_date'],
    [{ search: 'a\0b' }, 'search'],
    [{ search: 'x'.repeat(201) }, 'search'],
  ])('refuses %j, naming the parameter', (query, name) => {
    const { values, problems } = readFilters(query, PARSERS);

    expect(values).toEqual({});
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  });

  test('names everything that is wrong at once', () => {
    expect(readFilters({ account_id: 'x', start_date: 'y' }, PARSERS).problems).toHaveLength(2);
  });
});

describe('isCalendarDate', () => {
  test.each(['0001-01-01', '9999-12-31', '2000-02-29', '2026-04-30'])('knows %s', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  test.each([
    '0000-01-01',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00',
    '-2026-01-01',
    '10000-01-01',
    '２０２６-01-01',
    '2026-01-01\n',
  ])('refuses %j', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});

describe('readPageRequest', () => {
  test.each([
    [{}, 1, 25],
    [{ page: '', per_page: '' }, 1, 25],
    [{ page: '3', per_page: '10' }, 3, 10],
    [{ page: '0', per_page: '0' }, 1, 25],
    [{ page: '-1', per_page: '-1' }, 1, 25],
    [{ page: '1.5', per_page: '2.7' }, 1, 25],
    [{ page: '5abc', per_page: 'all' }, 1, 25],
    [{ page: '1e3', per_page: '0x10' }, 1, 25],
    [{ page: ['2', '3'], per_page: ['2', '3'] }, 1, 25],
    [{ page: '1\0', per_page: ' 5' }, 1, 25],
    [{ per_page: '100' }, 1, 100],
    [{ per_page: '101' }, 1, 100],
    [{ per_page: '9'.repeat(400) }, 1, 100],
    [{ page: '007' }, 7, 25],
    [{ page: '9007199254740991' }, Number.MAX_SAFE_INTEGER, 25],
    [{ page: '9'.repeat(400) }, Number.MAX_SAFE_INTEGER, 25],
  ])('takes %j as page %i of %i', (query, page, perPage) => {
    expect(readPageRequest(query)).toEqual({ page, perPage });
  });
});

test.each([
  [0, 0],
  [1, 1],
  [25, 1],
  [26, 2],
])('%i rows of 25 a page make %i pages', (totalCount, pages) => {
  expect(presentPagination({ items: [], page: 9, perPage: 25, totalCount })).toEqual({
    page: 9,
    per_page: 25,
    total_count: totalCount,
    total_pages: pages,
  });
});
