import { checkOAuth2Urls } from '#src/sso/checks/check-oauth2-urls.ts';
import { checkOidcIssuer } from '#src/sso/checks/check-oidc-issuer.ts';
import { checkSamlParty } from '#src/sso/checks/check-saml-party.ts';
import { type Findings, failed, type ProviderReport } from '#src/sso/checks/provider-check.ts';
import { withDeadline } from '#src/sso/connectors/deadline.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

interface CheckOptions {
  /** From how many days before their end certificates are worth a warning. */
  warnCertDays?: number | undefined;
}

/**
 * Whether a provider answers as a sign-in needs it, asked anew and not from any cache, within 10 seconds; nobody is
 * signed in. Problems are checks of the report, never exceptions.
 */
export async function checkProvider(
  provider: Provider,
  access: ProviderAccess,
  { warnCertDays }: CheckOptions = {},
): Promise<ProviderReport> {
  const started = performance.now();
  const findings: Findings = { checks: [] };
  try {
    await withDeadline(access.loginTimeout, (signal) => {
      const checking = { access, signal, findings };
      if (provider.strategy === 'saml') return checkSamlParty(provider, checking, warnCertDays);
      return provider.strategy === 'oauth2'
        ? checkOAuth2Urls(provider, checking)
        : checkOidcIssuer(provider, checking);
    });
  } catch (error) {
    findings.checks.push(failed('time', error));
  }
  const { checks, issuerToCopy } = findings;
  return {
    ok: checks.every(({ status }) => status !== 'fail'),
    checks,
    milliseconds: Math.round(performance.now() - started),
    ...(issuerToCopy !== undefined && { issuerToCopy }),
  };
}
