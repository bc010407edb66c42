import type { Readable } from 'node:stream';

/** A file that is ready to be stored. */
export interface StoredFile {
  /** Below the target's root, with slashes: `2026/08/2026-08-01-0f….ndjson.gz`. Names hold a hash of the content. */
  path: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
  /** For stores that can refuse removal: until when. */
  keepUntil?: Date | undefined;
  /** The content from its beginning, as often as it is asked for. */
  readonly read: () => Readable;
}

/** Where archives are kept: a folder or a bucket. Its files are written once and never changed. */
export interface ArchiveTarget {
  /** For people: the folder, or `s3://bucket/prefix`. No credential. */
  readonly name: string;
  /** Stores the file, completely or not at all. One that is there already with the same content is left as it is. */
  put(file: StoredFile): Promise<void>;
  /** Throws `not_found` when it is not there. */
  open(path: string): Promise<Readable>;
  /** Every file below a prefix, in order of the paths. */
  list(prefix: string): AsyncIterable<{ path: string; bytes: number }>;
  /** Does nothing when it is not there. Throws `conflict` when the store keeps it until its time. */
  remove(path: string): Promise<void>;
  /** Throws when something could not be stored, read and removed here. */
  probe(): Promise<void>;
  /** Removes what runs that were killed have left unfinished. */
  tidy(): Promise<void>;
  close(): void;
}
