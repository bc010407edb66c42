import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGzip, type Gzip } from 'node:zlib';
import { pack as createPack } from 'tar-stream';
import { CHECKSUMS, type PartSum, writeChecksums } from '#src/backup/manifest.ts';

/** Half the time of the default level, and a tenth more bytes. */
const LEVEL = 4;

export interface Packer {
  /** Resolves when there is room for the next part. */
  add(name: string, content: Buffer, rows?: number): Promise<void>;
  /** Ends the archive with the checksums of everything in it. */
  finish(): Promise<void>;
  /** The archive; destroyed when something goes wrong. */
  readonly output: Gzip;
  abort(error: Error): void;
}

/** Writes a tar archive, compressed with gzip, as it is read. */
export function packParts(createdAt: Date): Packer {
  const pack = createPack();
  const output = createGzip({ level: LEVEL });
  pipeline(pack, output, () => undefined);
  const parts: PartSum[] = [];

  const write = (name: string, content: Buffer) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const header = { name, mode: 0o600, mtime: createdAt, uname: '', gname: '' };
    pack.entry(header, content, (error) => (error ? reject(error) : resolve()));
    return promise;
  };

  return {
    output,
    add: async (name, content, rows) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      parts.push({ name, bytes: content.length, sha256, rows });
      await write(name, content);
    },
    finish: async () => {
      await write(CHECKSUMS, writeChecksums(parts));
      pack.finalize();
    },
    abort: (error) => {
      pack.destroy(error);
      output.destroy(error);
    },
  };
}
