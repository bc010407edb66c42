import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { atMost } from '#src/audit/archive/files/at-most.ts';
import { linesOf } from '#src/audit/archive/files/lines-of.ts';
import { checksumPath, checksumText, LONGEST_MANIFEST, sha256Of } from '#src/audit/archive/files/manifest.ts';
import { readSha256 } from '#src/audit/archive/files/read-sha256.ts';
import { type Spool, spoolFrom } from '#src/audit/archive/files/spool.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { type Finding, wrong } from '#src/audit/archive/verify/finding.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Everything that is wrong with the files of an archive. */
export async function verifyContent(
  target: ArchiveTarget,
  archive: ArchiveRecord,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { day, manifest, manifestSha256, file } = archive;
  const beside = [
    { what: 'manifest', path: manifest, sha256: manifestSha256 },
    { what: 'checksum', path: checksumPath(file), sha256: sha256Of(checksumText(archive)) },
  ] as const;
  const findings: Finding[] = [];
  for (const { what, path, sha256 } of beside) {
    const found = await orUnusable(async () => readSha256(atMost(await target.open(path), LONGEST_MANIFEST)));
    const name = `${target.name}/${path}`;
    if (found === 'missing') findings.push(wrong(`${what}_missing`, `the ${what} is missing: ${name}`, day));
    else if (found === 'not_a_file')
      findings.push(wrong('not_readable', `the ${what} is no ordinary file: ${name}`, day));
    else if (found !== sha256)
      findings.push(wrong(`${what}_changed`, `the ${what} has been changed: ${name}`, day));
  }
  const copy = await orUnusable(async () =>
    spoolFrom(atMost(await target.open(file), archive.bytes), signal),
  );
  const name = `${target.name}/${file}`;
  if (copy === 'not_a_file') {
    return [...findings, wrong('not_readable', `the archive is no ordinary file: ${name}`, day)];
  }
  if (copy === 'missing') return [...findings, wrong('file_missing', `the archive is missing: ${name}`, day)];
  try {
    if (copy.sha256 !== archive.sha256) {
      return [...findings, wrong('file_changed', `the archive has been changed: ${name}`, day)];
    }
    const trouble = await readThrough(copy, archive, signal);
    return trouble ? [...findings, wrong('content_wrong', `${trouble}: ${name}`, day)] : findings;
  } finally {
    await copy.close();
  }
}

/** What is wrong with one file must not hide what is wrong with the others. */
async function orUnusable<Result>(read: () => Promise<Result>): Promise<Result | 'missing' | 'not_a_file'> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return 'missing';
    if (error instanceof AppError && error.code === 'conflict') return 'not_a_file';
    throw error;
  }
}

/** What the lines have against them, beyond the hash; undefined when nothing. */
async function readThrough(
  copy: Spool,
  { day, rows, firstId, lastId }: ArchiveRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  let count = 0;
  let before = { created_at: '', id: '' };
  let first = '';
  const text = pipeline(copy.read(), createGunzip({ chunkSize: 65_536 }), () => undefined);
  try {
    for await (const lines of linesOf(text)) {
      signal.throwIfAborted();
      for (const line of lines) {
        count += 1;
        const event = parseLine(line);
        if (!event) return `line ${count} is not an event`;
        if (!event.created_at.startsWith(day)) return `line ${count} is an event of another day`;
        if (!isAfter(event, before)) return `line ${count} is out of order`;
        before = event;
        first ||= event.id;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    return `it cannot be read (${error instanceof Error ? error.message : 'unknown'})`;
  }
  if (count !== rows) return `it has ${count} events instead of ${rows}`;
  return first === firstId && before.id === lastId ? undefined : 'its first or last event is another';
}

type Place = Record<'created_at' | 'id', string>;

function parseLine(line: string): Place | undefined {
  try {
    const { created_at, id } = JSON.parse(line);
    return typeof created_at === 'string' && typeof id === 'string' ? { created_at, id } : undefined;
  } catch {
    return undefined;
  }
}

/** PostgreSQL leaves out a fraction that is zero, and zeros at its end: as text, the shorter one comes later. */
function isAfter(one: Place, other: Place): boolean {
  const [time, before] = [fixedTime(one.created_at), fixedTime(other.created_at)];
  return time > before || (time === before && one.id > other.id);
}

function fixedTime(time: string): string {
  const [, second = '', fraction = ''] = /^(.{19})(?:\.(\d{1,6}))?/.exec(time) ?? [];
  return `${second}.${fraction.padEnd(6, '0')}`;
}
