import { stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { type Finding, ok, type Subject, warn } from '#src/doctor/check.ts';

/** Where the system itself keeps others out. */
const KEPT_BY_SYSTEM = '/run/secrets';
const READABLE_BY_OTHERS = 0o044;

/** Whether others than their owner can read the files that hold secrets. */
export async function secretFiles(subject: Subject): Promise<Finding> {
  const { secretFiles: files, credentialsFolder } = subject.sources();
  const kept = [KEPT_BY_SYSTEM, ...(credentialsFolder ? [credentialsFolder] : [])];
  const open: string[] = [];
  for (const file of files.filter((path) => !kept.some((folder) => isBelow(path, folder)))) {
    // What is not there is complained of where it is needed.
    const there = await stat(file).catch(() => undefined);
    if (there && there.mode & READABLE_BY_OTHERS) open.push(file);
  }
  if (open.length === 0) return ok(files.length === 0 ? 'there are none' : 'nobody else can read them');
  return warn(`others can read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`);
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}
