import type { CallbackRequest, StartedLogin } from '#src/sso/connector.ts';
import { LoginRefused, type RefusalReason } from '#src/sso/login-refused.ts';

/** Error codes that mean the person, not the provider (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). */
const REFUSALS: Readonly<Record<string, RefusalReason>> = {
  access_denied: 'access_denied',
  consent_required: 'access_denied',
  login_required: 'interaction_required',
  interaction_required: 'interaction_required',
  account_selection_required: 'interaction_required',
  unauthorized_client: 'client_refused',
};

/**
 * The authorization code of a callback that answers this login. Everything is checked that can be without asking
 * anybody: state, repeated parameters, error answers.
 */
export function readCallback({ url }: CallbackRequest, { state }: Pick<StartedLogin, 'state'>): string {
  const given = (name: string) => {
    const [value, ...more] = url.searchParams.getAll(name);
    if (more.length > 0) throw new LoginRefused('callback_invalid');
    return value;
  };
  if (state === '' || given('state') !== state) throw new LoginRefused('state_mismatch');

  const error = given('error');
  if (error !== undefined) {
    throw new LoginRefused(
      Object.hasOwn(REFUSALS, error) ? (REFUSALS[error] ?? 'provider_error') : 'provider_error',
    );
  }
  const code = given('code');
  if (!code || ['response', 'id_token', 'token'].some((name) => url.searchParams.has(name))) {
    throw new LoginRefused('callback_invalid');
  }
  return code;
}

/** A secret of the pending login; every check that needs one is off without it, so its absence ends the login. */
export function requireSecret({ secrets }: StartedLogin, name: string): string {
  const secret = secrets[name];
  if (typeof secret !== 'string' || secret === '') throw new LoginRefused('login_incomplete');
  return secret;
}
