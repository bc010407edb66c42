import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { canSendMail, type Mail, sendMail } from '#src/mail/send-mail.ts';
import { useSmtpServer } from '#test/mail/smtp-server.ts';
import { fixture } from '#test/sso/given-provider.ts';

const startServer = useSmtpServer();

const configFor = (url: string) => loadConfig({ SMTP_URL: url, MAIL_FROM: 'Finance <finance@example.com>' });

const MAIL: Mail = {
  to: 'ada@example.com',
  subject: 'Grüße',
  text: 'Open this:\nhttp://localhost:3000/invitation?token=abc\n.\nBye',
};

describe('a mail', () => {
  test('reaches its one reader as it was written', async () => {
    const { port, deliveries } = await startServer();

    await sendMail(configFor(`smtp://127.0.0.1:${port}`), MAIL);

    expect(deliveries).toMatchObject([{ from: 'finance@example.com', to: ['ada@example.com'] }]);
    const data = deliveries[0]?.data;
    expect(data).toContain('From: Finance <finance@example.com>');
    expect(data).toContain('To: ada@example.com');
    expect(data).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(data).toContain('Auto-Submitted: auto-generated');
    expect(data).toContain('http://localhost:3000/invitation?token=abc\n.\nBye');
  });

  test('is handed over with the name and password of SMTP_URL', async () => {
    const { port, commands } = await startServer({ auth: true });

    await sendMail(configFor(`smtp://mailer:s3cret@127.0.0.1:${port}`), MAIL);

    const credentials = Buffer.from('\0mailer\0s3cret').toString('base64');
    expect(commands).toContain(`AUTH PLAIN ${credentials}`);
  });

  test('goes to a server whose certificate is of an authority in SSL_CA_FILE, and only then', async () => {
    const tls = { key: fixture('strong.key'), cert: fixture('strong.crt') };
    const { port, deliveries } = await startServer({ tls });
    const config = configFor(`smtps://127.0.0.1:${port}?tls.servername=strong.example`);
    const caFile = join(import.meta.dirname, '../fixtures/certificates/strong.crt');

    await expect(sendMail(config, MAIL)).rejects.toMatchObject({ code: 'service_unavailable' });
    await sendMail({ ...config, caFile }, MAIL);

    expect(deliveries).toHaveLength(1);
    await expect(sendMail({ ...config, caFile: '/nowhere.pem' }, MAIL)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: 'SSL_CA_FILE cannot be read (ENOENT): /nowhere.pem',
    });
  });

  test.each<[string, Partial<Mail>]>([
    ['a line break in the subject', { subject: 'Hello\r\nBcc: eve@example.com' }],
    ['a line break in the address', { to: 'ada@example.com\nBcc: eve@example.com' }],
    ['two addresses', { to: 'ada@example.com, eve@example.com' }],
    ['a name with the address', { to: 'Ada <ada@example.com>' }],
    ['no address', { to: '' }],
  ])('with %s is refused before anybody is asked', async (_, wrong) => {
    const { port, commands } = await startServer();

    await expect(
      sendMail(configFor(`smtp://127.0.0.1:${port}`), { ...MAIL, ...wrong }),
    ).rejects.toMatchObject({ code: 'validation_failed' });
    expect(commands).toEqual([]);
  });
});

describe('a mail that cannot be sent', () => {
  test('for want of SMTP_URL says so', async () => {
    const config = loadConfig({});

    expect(canSendMail(config)).toBe(false);
    expect(canSendMail(configFor('smtp://127.0.0.1'))).toBe(true);
    await expect(sendMail(config, MAIL)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('SMTP_URL'),
    });
  });

  test.each([
    ['the reader is unknown', { answers: { RCPT: '550 no such user' } }, 'the server answered 550'],
    [
      'the password is wrong',
      { auth: true, answers: { AUTH: '535 wrong: s3cret' } },
      'the server answered 535',
    ],
    ['the text is refused', { answers: { DATA: '554 spam' } }, 'the server answered 554'],
  ])('because %s is unavailable, and tells no secret', async (_, behaviour, reason) => {
    const { port } = await startServer(behaviour);

    const error = await sendMail(configFor(`smtp://mailer:s3cret@127.0.0.1:${port}`), MAIL).catch(
      (caught: unknown) => caught,
    );

    expect(error).toMatchObject({ code: 'service_unavailable', message: expect.stringContaining(reason) });
    expect(String(Object(error).stack) + JSON.stringify(error)).not.toContain('s3cret');
    expect(Object(error).cause).toBeUndefined();
  });

  test('because nobody listens is unavailable', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const address = probe.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await new Promise((resolve) => probe.close(resolve));

    await expect(sendMail(configFor(`smtp://127.0.0.1:${port}`), MAIL)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });
});
