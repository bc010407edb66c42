import {
  type CheckName,
  type Findings,
  failed,
  type ProviderCheck,
  passed,
  warned,
} from '#src/sso/checks/provider-check.ts';
import { isEndpoint } from '#src/sso/connectors/discovery-document.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { OutboundRequest } from '#src/sso/outbound/outbound.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { OAuth2Provider } from '#src/sso/providers/provider.ts';

interface Checking {
  access: ProviderAccess;
  signal: AbortSignal;
  findings: Findings;
}

/** Whether something answers at each address. Without credentials a refusal is the right answer. */
export async function checkOAuth2Urls(
  provider: OAuth2Provider,
  { access, signal, findings }: Checking,
): Promise<void> {
  const ask = async (name: CheckName, url: string, method: OutboundRequest['method'] = 'GET') => {
    const started = performance.now();
    const check = await knock(name, url, { access, signal, method });
    findings.checks.push({ ...check, milliseconds: Math.round(performance.now() - started) });
  };
  await Promise.all([
    ask('authorization_url', provider.authorizationUrl),
    ask('token_url', provider.tokenUrl, 'POST'),
    ask('user_info_url', provider.userInfoUrl),
    provider.emailsUrl === undefined ? undefined : ask('emails_url', provider.emailsUrl),
  ]);
}

interface Knock extends Omit<Checking, 'findings'> {
  method: OutboundRequest['method'];
}

async function knock(
  name: CheckName,
  url: string,
  { access, signal, method }: Knock,
): Promise<ProviderCheck> {
  try {
    if (!isEndpoint(url, true)) throw new LoginRefused('provider_misconfigured');
    const { status } = await access.outbound.request(new URL(url), {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' && { body: '' }),
      allowsPrivate: true,
      signal,
    });
    return { ...judgeStatus(name, status), httpStatus: status };
  } catch (error) {
    // The page where people sign in sends a stranger elsewhere.
    const redirected = error instanceof LoginRefused && error.reason === 'provider_redirected';
    return redirected && name === 'authorization_url' ? passed(name, 'It answers.') : failed(name, error);
  }
}

function judgeStatus(name: CheckName, status: number): ProviderCheck {
  if (status >= 500) return failed(name, new LoginRefused('provider_failed', String(status)));
  if (status === 404)
    return warned(name, 'The server answers, but knows nothing at this address: check its path.');
  return passed(name, 'It answers.');
}
