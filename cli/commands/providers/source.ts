import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { ProviderSource } from '#src/sso/providers/provider-source.ts';
import type { LocalLoginPolicy, WayInPolicy } from '#src/sso/providers/require-way-in.ts';

/** The providers of the settings, or of the source that is named. */
export async function openSource(host: Host, source?: string): Promise<ProviderSource> {
  const { sso } = host.config();
  const { openProviderSource } = await import('#src/sso/providers/provider-source.ts');
  const chosen = source === 'yaml' ? 'yaml' : source === 'db' ? 'database' : sso.source;
  return openProviderSource(await host.runtime(), { ...sso, source: chosen });
}

export function loginPolicy(host: Host): LocalLoginPolicy {
  const { localLogin, adminOverride } = host.config().auth;
  return { localLogin, adminOverride };
}

/** With the providers of the file while they are in use; a file that cannot be read lets nobody in. */
export async function wayInPolicy(host: Host): Promise<WayInPolicy> {
  const policy = loginPolicy(host);
  if (host.config().sso.source === 'database') return policy;
  try {
    return { ...policy, fileEntries: await (await openSource(host)).list() };
  } catch (error) {
    if (error instanceof AppError && error.code === 'configuration_invalid')
      return { ...policy, fileEntries: [] };
    throw error;
  }
}

/** Runs a task that changes the provider of the database, and says so when that provider is one of the file in use. */
export async function aboutStored<Result>(
  host: Host,
  reference: string,
  task: () => Promise<Result>,
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    const { source, file } = host.config().sso;
    const isMissing = error instanceof AppError && error.code === 'not_found';
    if (!isMissing || source === 'database' || !(await isInFile(host, reference))) throw error;
    throw new AppError('conflict', `The provider "${reference}" comes from ${file}, and is changed there`, {
      hint: 'To manage it with financectl instead: financectl providers migrate, then AUTH_PROVIDERS_SOURCE=db.',
      cause: error,
    });
  }
}

/** A file that cannot be read has nobody. */
async function isInFile(host: Host, reference: string): Promise<boolean> {
  const { fileEntries = [] } = await wayInPolicy(host);
  return fileEntries.some(({ name, id }) => name === reference || id === reference);
}

/** For whoever changes providers of the database while those of the file are in use. */
export function tellWhenUnused(host: Host): void {
  if (host.config().sso.source === 'database') return;
  say(host.io, 'Note: providers of the database are not in use until AUTH_PROVIDERS_SOURCE=db.');
}
