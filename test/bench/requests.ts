import type { Operations } from '#test/bench/operations.ts';

/** Whole requests as they go over the wire, and the status they are to be answered with. */
export interface Exchange {
  requests: string[];
  status: number;
}

export interface Request {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export function askingByKey(operations: Operations, key: string): Record<string, Exchange> {
  const asking = (paths: string[]): Exchange => ({
    requests: paths.map((path) => requestText({ path, headers: { 'X-Api-Key': key } })),
    status: 200,
  });
  return Object.fromEntries(Object.entries(operations).map(([name, paths]) => [name, asking(paths)]));
}

export function requestText({ method = 'GET', path, headers = {}, body = '' }: Request): string {
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
