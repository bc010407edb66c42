import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRecord } from '#src/kernel/csv.ts';

describe('a CSV record', () => {
  test.each([
    [['plain', 1, true, null, undefined], 'plain,1,true,,'],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
    [[' padded ', '-5.00', -5], `" padded ",'-5.00,-5`],
    [['=1+1', '+1', '-1', '@a', '\tx', '\rx'], `'=1+1,'+1,'-1,'@a,'\\tx,'\\rx`],
    [['\u001b[2J', 'a\u202eb'], '\\u001b[2J,a\\u202eb'],
  ])('of %j is %j', (values, text) => {
    expect(csvRecord(values)).toBe(text);
  });

  test('is read back as so many fields by another program, and none of them is a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (values) => {
        const [record] = parse(`${csvRecord(values)}\n`);
        expect(record).toHaveLength(values.length);
        for (const field of record ?? []) expect(field).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});
