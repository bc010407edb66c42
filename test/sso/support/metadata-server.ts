import { type LoopbackServer, listenOnLoopback } from '#test/sso/support/http.ts';
import { metadataXml } from '#test/sso/support/saml-metadata.ts';

export interface MetadataServer extends Pick<LoopbackServer, 'close'> {
  url: string;
  /** What it answers; undefined: 503. */
  xml: string | undefined;
  /** Paths that lead elsewhere. */
  redirects: Record<string, string>;
  /** Paths that were asked for. */
  requests: string[];
}

/** Publishes metadata at `/metadata`, under a content type of its own. */
export async function startMetadataServer(): Promise<MetadataServer> {
  const server = await listenOnLoopback((request, response) => {
    const path = request.url ?? '';
    served.requests.push(path);
    const location = served.redirects[path];
    if (location !== undefined) response.writeHead(302, { location }).end();
    else if (served.xml === undefined) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(served.xml);
  });
  const served: MetadataServer = {
    url: `http://127.0.0.1:${server.port}/metadata`,
    xml: metadataXml(),
    redirects: {},
    requests: [],
    close: () => server.close(),
  };
  return served;
}
