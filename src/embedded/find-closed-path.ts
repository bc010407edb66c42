import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Owner } from '#src/embedded/data-dir.ts';

const EXECUTE = 0o1;

/** The first folder or program among these paths and all that lead to them which the account may not enter or run. */
export async function findClosedPath(paths: string[], account: Owner): Promise<string | undefined> {
  const steps = new Set(paths.flatMap(withAncestors));
  for (const step of [...steps].sort()) {
    const { mode, uid, gid } = await stat(step);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & EXECUTE) === 0) return step;
  }
  return undefined;
}

function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withAncestors(parent)];
}
