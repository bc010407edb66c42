import { type Finding, ok, type Subject, skipped } from '#src/doctor/check.ts';
import { requireUsableFile } from '#src/sso/providers/require-usable-file.ts';

/** Whether the file's providers can work, as far as it is written. */
export async function providerFile(subject: Subject): Promise<Finding> {
  const { sso } = subject.config();
  if (sso.source !== 'yaml') return skipped('not used: AUTH_PROVIDERS_SOURCE is db');
  const entries = await requireUsableFile(sso);
  const meant = entries.filter(({ isUnused }) => !isUnused);
  return ok(
    `${meant.length === 0 ? 'no provider is set up' : meant.map(({ name }) => name).join(', ')} in ${sso.file}`,
  );
}
