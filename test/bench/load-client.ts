import { connect } from 'node:net';
import { requestText } from '#test/bench/requests.ts';

/** What the parent sends; it is answered with LoadResult, one at a time. */
export interface LoadOrder {
  port: number;
  /** Whole requests, sent in turn, each connection starting at another one. */
  requests: string[];
  /** Of a right answer. */
  status: number;
  connections: number;
  milliseconds: number;
  /** Each request is sent once and by one connection only; the load ends with the last. */
  once?: boolean;
  /** Headers with which each redirect is followed, once; both requests count as one. */
  follow?: Record<string, string>;
}

export interface LoadResult {
  requests: number;
  /** Answers with another status. */
  failures: number;
  seconds: number;
  p50: number;
  p99: number;
}

/**
 * A load generator that costs little itself, because it shares the cores with what it measures: keep-alive
 * connections, one request in flight on each, and of the answer only status and length are read.
 */
async function load({ port, connections, milliseconds, ...order }: LoadOrder): Promise<LoadResult> {
  const requests = order.requests.map((request) => Buffer.from(request));
  const took: number[] = [];
  let failures = 0;
  let given = 0;
  const started = performance.now();

  const drive = (number: number) =>
    new Promise<void>((resolve, reject) => {
      let next = Math.floor((number * requests.length) / connections);
      let sent = 0;
      let missing = 0;
      let location = '';
      const send = () => {
        sent = performance.now();
        socket.write(requests[order.once ? given++ : next++ % requests.length] ?? '');
      };
      const goesOn = (now: number) => (order.once ? given < requests.length : now - started < milliseconds);
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, send);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (chunk) => {
        if (missing === 0) {
          const head = readHead(chunk);
          if (head.status !== order.status) failures += 1;
          missing = head.length;
          // Nothing is followed twice.
          location = location === '' ? head.location : '';
        }
        missing -= chunk.length;
        if (missing > 0) return;
        if (order.follow && location !== '') {
          socket.write(requestText({ path: location, headers: order.follow }));
          return;
        }
        location = '';
        const now = performance.now();
        took.push(now - sent);
        if (goesOn(now)) send();
        else socket.end();
      });
    });

  await Promise.all(Array.from({ length: connections }, (_, number) => drive(number)));
  const seconds = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(took).sort();
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { requests: took.length, failures, seconds, p50: percentile(0.5), p99: percentile(0.99) };
}

/** Status of an answer and its length in bytes, head included. Heads of both servers fit into the first chunk. */
function readHead(chunk: Buffer): { status: number; length: number; location: string } {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (end < 0 || length === undefined) throw new Error(`no length in the answer's head: ${head}`);
  const location = /\r\nlocation: *([^\r]+)/i.exec(head)?.[1] ?? '';
  return { status: Number(head.slice(9, 12)), length: end + 4 + Number(length), location };
}

process.on('message', (order: LoadOrder) => {
  load(order).then((result) => process.send?.(result), fail);
});
process.on('disconnect', () => process.exit());

function fail(error: Error): void {
  process.stderr.write(`load client: ${error.stack}\n`);
  process.exit(1);
}
