import { type Finding, fail, ok } from '#src/doctor/check.ts';

const OLDEST = [24, 21];

/** Type stripping and argon2id come with it. */
export async function node(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = OLDEST;
  const isRecent = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  const found = `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`;
  return isRecent ? ok(found) : fail(found, `Use Node.js ${OLDEST.join('.')} or later.`);
}
