import type { IncomingMessage } from 'node:http';
import type { Context } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';

/** More than any form or document sent here needs, but for one kind. */
const LIMIT = 64 * 1024;

/** A SAML message may have 256 KiB; a form carries it in Base64, and that with its signs escaped. */
const SAML_LIMIT = 384 * 1024;
const SAML_MESSAGES = /^\/(auth\/saml\/[^/]+\/(callback|logout)|admin\/sso_providers\/[^/]+\/examine)$/;

/** What a federation publishes about a provider is pasted as it is. */
const METADATA_LIMIT = 1024 * 1024;
const METADATA = /^\/admin\/sso_providers\/([^/]+\/)?metadata$/;

function limitOf({ method, path }: Context): number {
  if (method !== 'POST') return LIMIT;
  if (METADATA.test(path)) return METADATA_LIMIT;
  return SAML_MESSAGES.test(path) ? SAML_LIMIT : LIMIT;
}

export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Refuses a body over the limit: by its announced length without reading it, else once that much has come. */
export async function boundBody(ctx: Context): Promise<void> {
  const limit = limitOf(ctx);
  const length = ctx.req.headers['content-length'];
  if (length === undefined) ctx.state.body = await readUpTo(limit, ctx.req);
  else if (Number(length) > limit) throw tooLarge(limit);
}

/** The whole body of a request, at most as much as is taken at its address. */
export async function readBody(ctx: Context): Promise<Buffer> {
  ctx.state.body ??= await readUpTo(limitOf(ctx), ctx.req);
  return ctx.state.body;
}

function readUpTo(limit: number, req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    req.on('data', (chunk: Buffer) => {
      received += chunk.length;
      chunks.push(chunk);
      if (received <= limit) return;
      req.pause();
      reject(tooLarge(limit));
    });
    // A caller who goes away is no error; nobody is left to read the answer.
    const settle = () => resolve(Buffer.concat(chunks));
    req.once('end', settle).once('error', settle).once('close', settle);
  });
}

function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', `The request body is larger than ${limit} bytes`, {
    details: { limit },
  });
}
