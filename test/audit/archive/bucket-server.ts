import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** Answers a request itself, and says so; false leaves it to the store. */
type Meddle = (request: IncomingMessage, response: ServerResponse) => boolean;

/** An S3 store with the bucket `logs`, in this process, behind a server that notes what it is asked. */
export async function startBucketServer() {
  const directory = await mkdtemp(join(tmpdir(), 's3rver-'));
  const store = new S3rver({
    silent: true,
    // It reads signed slashes in a query otherwise than AWS does.
    allowMismatchedSignatures: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'logs' }],
  });
  await store.configureBuckets();
  const answer = store.callback();
  const state: { seen: Seen[]; meddle: Meddle } = { seen: [], meddle: () => false };
  const server = createServer((request, response) => {
    state.seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    if (!state.meddle(request, response)) answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    state,
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      store.logger.exceptions.unhandle();
      store.logger.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An error as S3 writes it. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} it is</Message></Error>`);
  return true;
}
