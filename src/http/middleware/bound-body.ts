import type { IncomingMessage } from 'node:http';
import { AppError } from '#src/kernel/errors.ts';

/** No operation takes a body yet; this much is tolerated and thrown away. */
const LIMIT = 64 * 1024;

export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Refuses a body over the limit: by its announced length without reading it, else once that much has come. */
export async function boundBody(req: IncomingMessage): Promise<void> {
  const length = req.headers['content-length'];
  const size = length === undefined ? await countUpToLimit(req) : Number(length);
  if (size > LIMIT) {
    throw new AppError('payload_too_large', `The request body is larger than ${LIMIT} bytes`, {
      details: { limit: LIMIT },
    });
  }
}

function countUpToLimit(req: IncomingMessage): Promise<number> {
  return new Promise((resolve) => {
    let received = 0;
    const settle = () => resolve(received);
    req.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= LIMIT) return;
      req.pause();
      settle();
    });
    // A caller who goes away is no error; nobody is left to read the answer.
    req.once('end', settle).once('error', settle).once('close', settle);
  });
}
