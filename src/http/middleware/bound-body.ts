import type { IncomingMessage } from 'node:http';
import type { Context } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';

/** More than any form or document sent here needs. */
const LIMIT = 64 * 1024;

export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Refuses a body over the limit: by its announced length without reading it, else once that much has come. */
export async function boundBody(ctx: Context): Promise<void> {
  const length = ctx.req.headers['content-length'];
  if (length === undefined) ctx.state.body = await readUpToLimit(ctx.req);
  else if (Number(length) > LIMIT) throw tooLarge();
}

/** The whole body of a request, at most 64 KiB. */
export async function readBody(ctx: Context): Promise<Buffer> {
  ctx.state.body ??= await readUpToLimit(ctx.req);
  return ctx.state.body;
}

function readUpToLimit(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    req.on('data', (chunk: Buffer) => {
      received += chunk.length;
      chunks.push(chunk);
      if (received <= LIMIT) return;
      req.pause();
      reject(tooLarge());
    });
    // A caller who goes away is no error; nobody is left to read the answer.
    const settle = () => resolve(Buffer.concat(chunks));
    req.once('end', settle).once('error', settle).once('close', settle);
  });
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', `The request body is larger than ${LIMIT} bytes`, {
    details: { limit: LIMIT },
  });
}
