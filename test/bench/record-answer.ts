import type { ServerProcess } from '#test/bench/processes.ts';

/** What the product answered once, for a server that repeats it. */
export interface RecordedAnswer {
  path: string;
  signedIn: boolean;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Written by node:http itself. */
const OF_THE_CONNECTION = new Set(['connection', 'date', 'keep-alive']);

export async function recordAnswer(
  { port }: ServerProcess,
  path: string,
  cookie: string | undefined,
): Promise<RecordedAnswer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    redirect: 'manual',
    headers: cookie === undefined ? {} : { Cookie: cookie },
  });
  const headers = [...response.headers].filter(([name]) => !OF_THE_CONNECTION.has(name));
  return {
    path,
    signedIn: cookie !== undefined,
    status: response.status,
    headers: Object.fromEntries(headers),
    body: await response.text(),
  };
}
