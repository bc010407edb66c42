import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenOnLoopback } from '#test/sso/support/http.ts';

export interface MetadataServer {
  url: string;
  /** What it answers from now on. */
  publish(xml: string): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Metadata of test/fixtures/saml, in the shape of a product. */
export function samlFixture(name: string): string {
  return readFileSync(join(import.meta.dirname, '../fixtures/saml', name), 'utf8');
}

/** Publishes metadata on loopback. */
export async function givenMetadata(xml: string): Promise<MetadataServer> {
  let current = xml;
  const server = await listenOnLoopback((_, response) => {
    response.setHeader('content-type', 'application/samlmetadata+xml');
    response.end(current);
  });
  return {
    url: `http://127.0.0.1:${server.port}/metadata`,
    publish: (next) => {
      current = next;
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
