import { AppError } from '#src/kernel/errors.ts';
import { checkSamlResponse } from '#src/sso/connectors/saml.ts';
import { isOutage, LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { Provider, SamlProvider } from '#src/sso/providers/provider.ts';
import { samlUrls } from '#src/sso/providers/provider-urls.ts';
import type { ResponseVerdict } from '#src/sso/saml/login/response-check.ts';

interface Examination {
  /** As somebody copied it: XML, base64, or the form that carried it. */
  text: string;
  appUrl: string;
  /** When it came; undefined: just now. */
  at?: Date | undefined;
}

/**
 * Judges a response of a SAML provider as a sign-in would, every step of it; what it answers does not matter. Nobody is
 * signed in, nothing is kept, and it stays as good as it was. Throws `service_unavailable` or `validation_failed` when
 * the provider itself is not known well enough.
 */
export async function examineResponse(
  provider: Provider,
  { text, appUrl, at }: Examination,
  access: ProviderAccess,
): Promise<ResponseVerdict> {
  const saml = requireSaml(provider);
  const { callback_url: acsUrl } = samlUrls(provider.id, appUrl);
  const clock = at === undefined ? access : { ...access, now: () => at };
  const posted = { message: toBase64(text), acsUrl, answers: 'anything', thorough: true } as const;
  try {
    return await checkSamlResponse(saml, clock, posted);
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    throw new AppError(isOutage(error) ? 'service_unavailable' : 'validation_failed', error.message);
  }
}

/** Throws `conflict` for a provider of another protocol. */
export function requireSaml(provider: Provider): SamlProvider {
  if (provider.strategy === 'saml') return provider;
  throw new AppError('conflict', `${provider.name} uses ${provider.strategy}, which knows no responses`);
}

/** Browsers show a posted form decoded or not; libraries log the XML. */
function toBase64(text: string): string {
  const bare = text.trim();
  if (bare.startsWith('<')) return Buffer.from(bare).toString('base64');
  const field = bare.includes('SAMLResponse=') ? new URLSearchParams(bare).get('SAMLResponse') : undefined;
  if (typeof field === 'string') return field.replaceAll(' ', '+');
  return /%[0-9A-F]{2}/i.test(bare) ? (new URLSearchParams(`_=${bare}`).get('_') ?? bare) : bare;
}
