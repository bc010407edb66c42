import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const LOG = join(import.meta.dirname, '../../src/kernel/log.ts');

/** What a process of its own prints when it logs `fields`. */
function printed(fields: object): string {
  const code = `
    const { createLog } = await import(process.argv[1]);
    createLog('info', 1).info(JSON.parse(process.argv[2]), 'happened');`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code, LOG, JSON.stringify(fields)], {
    encoding: 'utf8',
  });
}

test('an event is one line of JSON, whatever is in it', () => {
  const text = printed({ path: 'a\nb\u001b[31m\u0000' });

  expect(text.trimEnd()).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(text)).toMatchObject({
    level: 'info',
    event: 'happened',
    path: 'a\nb\u001b[31m\u0000',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test.each(['password', 'secret', 'token', 'authorization', 'cookie', 'key', 'connectionString'])(
  'never shows a %s',
  (name) => {
    const text = printed({ [name]: 'hunter2', request: { [name]: 'hunter2' } });

    expect(text).not.toContain('hunter2');
    expect(JSON.parse(text)).toMatchObject({ [name]: '[redacted]', request: { [name]: '[redacted]' } });
  },
);
