import type { IncomingMessage } from 'node:http';
import { newId } from '#src/kernel/new-id.ts';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id when it is safe to repeat, else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : newId();
}
