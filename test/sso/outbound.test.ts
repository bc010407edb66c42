import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createOidcConnector } from '#src/sso/connectors/oidc.ts';
import { createOutbound, type Outbound, type OutboundOptions } from '#src/sso/outbound/outbound.ts';
import type { HostAddress } from '#src/sso/outbound/resolve-host.ts';
import { type FakeProvider, having, startFakeProvider } from '#test/sso/support/fake-provider.ts';
import { type LoopbackServer, listenOnLoopback } from '#test/sso/support/http.ts';
import { oidcProvider, reasonOf, signIn, useAccess } from '#test/sso/support/providers.ts';

let server: LoopbackServer;
let seen: { url: string; port: number | undefined; agent: string | undefined }[] = [];
beforeAll(async () => {
  server = await listenOnLoopback((request, response) => {
    seen.push({
      url: request.url ?? '',
      port: request.socket.remotePort,
      agent: request.headers['user-agent'],
    });
    const step = /^\/step\/(\d)$/.exec(request.url ?? '')?.[1];
    if (step !== undefined && step !== '0') {
      response.writeHead(302, { location: `/step/${Number(step) - 1}` }).end();
    } else if (request.url === '/away') {
      response.writeHead(302, { location: `http://localhost:${server.port}/` }).end();
    } else if (request.url === '/odd') {
      response.writeHead(302).end();
    } else response.writeHead(200, { 'content-type': 'application/json' }).end('{"fine":true}');
  });
});
afterAll(() => server.close());

const opened: Outbound[] = [];
afterEach(() => {
  seen = [];
  for (const outbound of opened.splice(0)) outbound.close();
});

function open(options: OutboundOptions = {}): Outbound {
  const outbound = createOutbound(options);
  opened.push(outbound);
  return outbound;
}

const resolvingTo = (...addresses: string[]): OutboundOptions => ({
  resolveHost: async (): Promise<HostAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});

const get = (outbound: Outbound, url: string, allowsPrivate = true, redirects = 0) =>
  outbound.request(new URL(url), { allowsPrivate, redirects });

const at = (path = '/', host = '127.0.0.1') => `http://${host}:${server.port}${path}`;

describe('an address', () => {
  test('that is loopback is contacted for a provider that is there, under our own name', async () => {
    expect(await get(open(), at())).toMatchObject({ status: 200, text: '{"fine":true}', from: 'loopback' });
    expect(seen[0]?.agent).toBe('finance-server');
  });

  test.each(['127.0.0.1', '127.1', '2130706433', '0x7f000001', 'localhost', '[::ffff:127.0.0.1]'])(
    'that is loopback is not contacted for any other provider: %s',
    async (host) => {
      expect(await reasonOf(get(open(), at('/', host), false))).toBe('provider_address_refused');
      expect(seen).toEqual([]);
    },
  );

  test.each([
    '169.254.169.254',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
    '0.0.0.0',
    '[::]',
    '2852039166',
  ])('of a metadata service, or of no place at all, is never contacted: %s', async (host) => {
    const outbound = open({ allowPrivateNetworks: true });

    expect(await reasonOf(get(outbound, `http://${host}/latest/meta-data/`))).toBe(
      'provider_address_refused',
    );
  });

  test.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254', '::'])(
    'is judged after the name is resolved: %s',
    async (address) => {
      const outbound = open({ ...resolvingTo(address), allowPrivateNetworks: true });

      expect(await reasonOf(get(outbound, 'http://idp.example/'))).toBe('provider_address_refused');
      expect(await reasonOf(get(outbound, 'https://idp.example/'))).toBe('provider_address_refused');
    },
  );

  test('is judged one by one: only those that may be contacted are', async () => {
    const outbound = open(resolvingTo('169.254.169.254', '127.0.0.1'));

    expect(await get(outbound, at('/', 'idp.example'))).toMatchObject({ status: 200, from: 'loopback' });
  });

  test('that is public needs TLS', async () => {
    expect(await reasonOf(get(open(), 'http://203.0.113.1/'))).toBe('provider_address_refused');
    expect(await reasonOf(get(open(resolvingTo('203.0.113.1')), 'http://idp.example/'))).toBe(
      'provider_address_refused',
    );
  });

  test('that is private is never contacted when the operator says so, and always when told so', async () => {
    expect(await reasonOf(get(open({ allowPrivateNetworks: false }), at()))).toBe('provider_address_refused');
    expect(await get(open({ allowPrivateNetworks: true }), at(), false)).toMatchObject({ status: 200 });
  });

  test('is not reached over a connection made for another provider', async () => {
    const outbound = open(resolvingTo('127.0.0.1'));
    const url = at('/', 'idp.example');
    await get(outbound, url);

    expect(await reasonOf(get(outbound, url, false))).toBe('provider_address_refused');
    expect(seen).toHaveLength(1);
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'gopher://127.0.0.1/', 'data:,x'])(
    'of another kind is never used: %s',
    async (url) => {
      expect(await reasonOf(get(open(), url))).toBe('provider_address_refused');
    },
  );

  test('with a password in it is never used', async () => {
    expect(await reasonOf(get(open(), `http://user:word@127.0.0.1:${server.port}/`))).toBe(
      'provider_address_refused',
    );
  });
});

const https = (document: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(document).replaceAll('http://', 'https://')) as Record<string, unknown>;

describe('a public provider cannot point us inward', () => {
  let inside: FakeProvider;
  const access = useAccess();
  beforeAll(async () => {
    inside = await startFakeProvider();
  });
  afterAll(() => inside.close());

  test('by an address in its document, which came from outside', async () => {
    const { discoveries, outbound } = access();
    const document = { ...inside.discovery(), issuer: 'https://idp.example' };
    const request = outbound.request.bind(outbound);
    outbound.request = async (url, options) =>
      url.hostname === 'idp.example'
        ? {
            url,
            status: 200,
            contentType: undefined,
            challenge: undefined,
            location: undefined,
            from: 'public',
            text: JSON.stringify(https(document)),
          }
        : await request(url, options);

    const known = await discoveries.find('https://idp.example');

    expect(known.allowsPrivate).toBe(false);
    const keys = outbound.request(new URL(known.document.jwks_uri), { allowsPrivate: known.allowsPrivate });
    expect(await reasonOf(keys)).toBe('provider_address_refused');
    expect(inside.requests).toEqual([]);
  });

  test('but one inside may use what is inside', async () => {
    const elsewhere = await startFakeProvider();
    elsewhere.key = inside.key;
    elsewhere.behave = { keys: () => [inside.key.jwk] };
    inside.behave = { discovery: having({ jwks_uri: `${elsewhere.issuer}/jwks` }) };

    await signIn(createOidcConnector(oidcProvider(inside.issuer), access()), inside.authorize);
    await elsewhere.close();

    expect(elsewhere.requests).toEqual(['GET /jwks']);
  });
});

describe('redirects', () => {
  test('are not followed', async () => {
    expect(await reasonOf(get(open(), at('/step/1')))).toBe('provider_redirected');
    expect(seen).toHaveLength(1);
  });

  test('are followed three times on the same origin where that is allowed', async () => {
    expect(await get(open(), at('/step/3'), true, 3)).toMatchObject({ status: 200 });
    expect(await reasonOf(get(open(), at('/step/4'), true, 3))).toBe('provider_redirected');
  });

  test.each(['/away', '/odd'])('are never followed elsewhere: %s', async (path) => {
    expect(await reasonOf(get(open(), at(path), true, 3))).toBe('provider_redirected');
  });
});

describe('connections', () => {
  test('are kept for the next request', async () => {
    const outbound = open();
    await get(outbound, at());
    await get(outbound, at());

    expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
  });

  test('that the provider closed meanwhile are replaced without anybody noticing', async () => {
    let requests = 0;
    const moody = await listenOnLoopback((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.resetAndDestroy();
      else response.end('{}');
    });
    const outbound = open();
    const url = `http://127.0.0.1:${moody.port}/`;
    await get(outbound, url);

    const second = await get(outbound, url);
    await moody.close();

    expect([second.status, requests]).toEqual([200, 3]);
  });

  test('that are refused say so', async () => {
    const gone = await listenOnLoopback(() => {});
    await gone.close();

    expect(await reasonOf(get(open(), `http://127.0.0.1:${gone.port}/`))).toBe('provider_unreachable');
  });

  test('to names that nobody knows say so', async () => {
    const unknown: OutboundOptions = {
      resolveHost: () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' })),
    };

    expect(await reasonOf(get(open(unknown), 'https://idp.invalid/'))).toBe('provider_unreachable');
  });

  test('that wait for a name end in time', async () => {
    const silent: OutboundOptions = { resolveHost: () => new Promise(() => {}), callTimeout: 100 };

    expect(await reasonOf(get(open(silent), 'https://idp.example/'))).toBe('provider_timeout');
  });

  test('end with the login they belong to', async () => {
    const hanging = await listenOnLoopback(() => {});
    const login = new AbortController();
    const waiting = open().request(new URL(`http://127.0.0.1:${hanging.port}/`), {
      allowsPrivate: true,
      signal: login.signal,
    });
    login.abort();

    expect(await reasonOf(waiting)).toBe('provider_timeout');
    expect(await reasonOf(open().request(new URL(at()), { allowsPrivate: true, signal: login.signal }))).toBe(
      'provider_timeout',
    );
    await hanging.close();
  });
});

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/certificates', name);

describe('certificates', () => {
  const access = useAccess();
  const { resolveHost } = resolvingTo('127.0.0.1');
  const secure = createServer(
    { key: readFileSync(fixture('strong.key')), cert: readFileSync(fixture('strong.crt')) },
    (_, response) => void response.end('{}'),
  );
  let port = 0;
  const origin = (host: string) => `https://${host}:${port}/`;
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      secure.listen(0, '127.0.0.1', resolve);
    });
    ({ port } = secure.address() as AddressInfo);
  });
  afterAll(() => void secure.close());

  test('of an unknown authority are refused', async () => {
    const outbound = open({ resolveHost });

    expect(await reasonOf(get(outbound, origin('strong.example')))).toBe('provider_certificate_invalid');
  });

  test('of the authorities in SSL_CA_FILE are trusted, but not for another name', async () => {
    const { outbound } = access({ caFile: fixture('strong.crt'), resolveHost });

    expect(await get(outbound, origin('strong.example'))).toMatchObject({ status: 200 });
    expect(await reasonOf(get(outbound, origin('idp.example')))).toBe('provider_certificate_invalid');
  });

  test('in SSL_CA_FILE must be there', () => {
    expect(() => access({ caFile: fixture('missing.crt') })).toThrow('SSL_CA_FILE cannot be read (ENOENT)');
    expect(() => access({ caFile: fixture('strong.key') })).toThrow('SSL_CA_FILE holds no PEM certificate');
  });

  test.each(['\n!!!!\n-----END CERTIFICATE-----\n', '\n'])(
    'in SSL_CA_FILE are refused where one cannot be read (%j)',
    (content) => {
      const folder = mkdtempSync(join(tmpdir(), 'finance-authorities-'));
      const caFile = join(folder, 'ca.pem');
      const good = readFileSync(fixture('strong.crt'), 'utf8');
      writeFileSync(caFile, `${good}-----BEGIN CERTIFICATE-----${content}`);

      expect(() => access({ caFile })).toThrow(`no certificate: certificate 2 of ${caFile}`);
      rmSync(folder, { recursive: true });
    },
  );
});
