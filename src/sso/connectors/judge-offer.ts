import {
  type CheckName,
  failed,
  type ProviderCheck,
  passed,
  warned,
} from '#src/sso/checks/provider-check.ts';
import { SIGNATURE_ALGORITHMS } from '#src/sso/connectors/signature-algorithms.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

/** What a provider says it can do, beside what a sign-in asks of it. */
export function judgeOffer(provider: OidcProvider, document: Record<string, unknown>): ProviderCheck[] {
  const offers = (name: string) => {
    const list: unknown = document[name];
    return Array.isArray(list) ? list.map(String) : undefined;
  };
  const algorithms = offers('id_token_signing_alg_values_supported');
  const methods = offers('token_endpoint_auth_methods_supported') ?? ['client_secret_basic'];
  const method = provider.clientSecret === undefined ? 'none' : provider.tokenEndpointAuth;
  return [
    judge('code_flow', offers('response_types_supported')?.includes('code') === true, {
      fine: 'Sign-in by code is offered.',
      otherwise: 'The provider does not say that it offers sign-in by code.',
    }),
    judge('pkce', offers('code_challenge_methods_supported')?.includes('S256') === true, {
      fine: 'PKCE with S256 is offered.',
      otherwise: 'The provider does not say that it knows PKCE with S256; it is sent all the same.',
    }),
    judge('client_authentication', methods.includes(method), {
      fine: `The provider takes ${method}.`,
      otherwise: `The provider does not say that it takes ${method}.`,
    }),
    judge('user_info', document.userinfo_endpoint !== undefined, {
      fine: 'User info is offered.',
      otherwise: 'There is no user info: email and groups must be in the ID token.',
    }),
    algorithms && !SIGNATURE_ALGORITHMS.some((algorithm) => algorithms.includes(algorithm))
      ? failed('signing_algorithms', new LoginRefused('algorithm_refused'))
      : passed('signing_algorithms', 'ID tokens are signed in a way that is accepted.'),
  ];
}

function judge(name: CheckName, good: boolean, texts: { fine: string; otherwise: string }): ProviderCheck {
  return good ? passed(name, texts.fine) : warned(name, texts.otherwise);
}
