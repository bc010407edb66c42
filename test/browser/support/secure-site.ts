import { request as forward, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Site } from '#test/browser/support/serve.ts';
import { serveWith } from '#test/http/people.ts';
import { samlKey } from '#test/sso/support/saml-keys.ts';
import type { Harness } from '#test/support/database.ts';

export interface SecureSite extends Site {
  /** Another site at the same port. */
  neighbour: string;
}

/** The application behind a proxy that speaks https for it; whoever asks there for 127.0.0.1 gets a neighbour instead. */
export async function serveSecureSite(harness: Harness, neighbour: RequestListener): Promise<SecureSite> {
  const { privateKey: key, certificate: cert } = await samlKey('a proxy');
  let inside = '';
  const proxy = createServer({ key, cert }, (request, response) => {
    if (request.headers.host?.startsWith('127.0.0.1')) {
      neighbour(request, response);
      return;
    }
    const { method, url = '/', socket } = request;
    const headers = {
      ...request.headers,
      'x-forwarded-for': socket.remoteAddress,
      'x-forwarded-proto': 'https',
    };
    const passed = forward(inside + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const { port } = proxy.address() as AddressInfo;
  const url = `https://localhost:${port}`;
  const { http } = harness.runtime.config;
  const served = await serveWith(harness, { http: { ...http, appUrl: url, trustedProxyHops: 1 } });
  inside = served.url;

  return {
    url,
    neighbour: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await served[Symbol.asyncDispose]();
    },
  };
}
