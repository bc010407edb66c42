import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createBackground } from '#src/http/background.ts';
import { AppError } from '#src/kernel/errors.ts';
import { givenPerson, serveWith } from '#test/http/people.ts';
import { recordingLog } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { useSmtpServer } from '#test/mail/smtp-server.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const smtpServer = useSmtpServer();

const mailTo = (port: number) => ({
  mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'finance@example.com' },
});

describe('work in the background', () => {
  test('is waited for, and so is what it starts', async () => {
    const background = createBackground(recordingLog('debug').log);
    const done: string[] = [];
    background.run('failed', {}, async () => {
      await Promise.resolve();
      done.push('first');
      background.run('failed', {}, async () => {
        await Promise.resolve();
        done.push('second');
      });
    });

    await background.settle();

    expect(done).toEqual(['first', 'second']);
  });

  test.each([
    [new AppError('service_unavailable', 'The mail could not be sent'), 'The mail could not be sent'],
    [new AppError('validation_failed', '"ada@example.com" is not one mail address'), 'validation_failed'],
    [Object.assign(new Error('Key (email)=(ada@example.com) exists'), { code: '23505' }), '23505'],
    [new TypeError('ada@example.com is not a function'), 'TypeError'],
    ['ada@example.com', 'unknown'],
  ])('that fails with %s is logged as %s', async (error, reason) => {
    const { log, lines } = recordingLog('debug');
    const background = createBackground(log);

    background.run('mail_failed', { request_id: 'r' }, async () => {
      throw error;
    });
    await background.settle();

    expect(lines).toMatchObject([{ level: 'error', event: 'mail_failed', request_id: 'r', reason }]);
    expect(JSON.stringify(lines)).not.toContain('ada@');
  });
});

describe('a server that stops', () => {
  test('first sends the mails it has promised', async () => {
    const { port, deliveries } = await smtpServer();
    const served = await serveWith(harness, mailTo(port));
    const ada = await givenPerson(harness);

    await visit(served).fill('/password_reset', '/password_reset', { email: ada.email });
    await served[Symbol.asyncDispose]();

    expect(deliveries.map(({ to }) => to)).toEqual([[ada.email]]);
  });

  test('does not wait for a mail server that says nothing', async () => {
    const reached = Promise.withResolvers<Socket>();
    const silent = createServer(reached.resolve);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const served = await serveWith(harness, mailTo(Object(silent.address()).port));
    const ada = await givenPerson(harness);
    await visit(served).fill('/password_reset', '/password_reset', { email: ada.email });
    const socket = await reached.promise;
    const started = performance.now();

    await served[Symbol.asyncDispose]();

    expect(performance.now() - started).toBeLessThan(4_000);
    socket.destroy();
    silent.close();
  });
});
