import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** What the parent sends; it is answered with HashResult, one at a time. */
export interface HashOrder {
  password: string;
  /** A PHC string: which parameters, and what must come out. */
  digest: string;
  /** Who waits for a hash at the same time. */
  connections: number;
  milliseconds: number;
}

export interface HashResult {
  hashes: number;
  /** Hashes that are not the digest's. */
  failures: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Microseconds of all threads for one hash. */
  cpu: number;
}

/** Nothing but argon2id: the limit for signing in. */
async function hashAll({ password, digest, connections, milliseconds }: HashOrder): Promise<HashResult> {
  const { tag, ...parameters } = readDigest(digest);
  const took: number[] = [];
  let failures = 0;
  const started = performance.now();
  const cpuBefore = process.cpuUsage();

  const drive = async () => {
    do {
      const asked = performance.now();
      const computed = await promisify(argon2)('argon2id', { message: password, ...parameters });
      if (!timingSafeEqual(computed, tag)) failures += 1;
      took.push(performance.now() - asked);
    } while (performance.now() - started < milliseconds);
  };

  await Promise.all(Array.from({ length: connections }, drive));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(took).sort();
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    hashes: took.length,
    failures,
    seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    cpu: (user + system) / took.length,
  };
}

function readDigest(digest: string) {
  const [, , , cost = '', nonce = '', tag = ''] = digest.split('$');
  const { m, t, p } = Object.fromEntries(cost.split(',').map((pair) => pair.split('=')));
  const bytes = Buffer.from(tag, 'base64');
  return {
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    nonce: Buffer.from(nonce, 'base64'),
    tagLength: bytes.length,
    tag: bytes,
  };
}

process.on('message', (order: HashOrder) => {
  hashAll(order).then((result) => process.send?.(result), fail);
});
process.on('disconnect', () => process.exit());

function fail(error: Error): void {
  process.stderr.write(`argon2id: ${error.stack}\n`);
  process.exit(1);
}
