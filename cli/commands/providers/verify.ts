import { withAccess } from '#cli/commands/providers/access.ts';
import { tellMetadata } from '#cli/commands/providers/metadata.ts';
import type { Host } from '#cli/host.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ImportedMetadata } from '#src/sso/saml/metadata/import-metadata.ts';

/**
 * Asks a provider for its issuer or metadata, and throws when it cannot be saved like this. Metadata is told to whoever
 * watches, and answered with.
 */
export async function verify(host: Host, provider: Provider): Promise<ImportedMetadata | undefined> {
  try {
    const imported = await askProvider(host, provider);
    if (imported) await tellMetadata(host, imported.metadata);
    return imported;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors, hint } = error;
    const advice = '--skip-verify saves it without asking the provider.';
    throw new AppError(code, message, { errors, hint: hint === undefined ? advice : `${hint} ${advice}` });
  }
}

/** Why a provider cannot be saved like this, for somebody who asks several. */
export async function whyRefused(host: Host, provider: Provider): Promise<AppError | undefined> {
  try {
    await askProvider(host, provider);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function askProvider(host: Host, provider: Provider): Promise<ImportedMetadata | undefined> {
  const { verifyProvider } = await import('#src/sso/checks/verify-provider.ts');
  return withAccess(host, undefined, (access) => verifyProvider(provider, access));
}
