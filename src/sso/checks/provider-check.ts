import { isOutage, LoginRefused, type RefusalReason } from '#src/sso/login-refused.ts';

/** One thing that was looked at. Holds no secret and no body. */
export interface ProviderCheck {
  name: CheckName;
  status: 'ok' | 'warn' | 'fail';
  /** What was found and, unless it is fine, what to do. */
  message: string;
  reason?: RefusalReason | undefined;
  /** It failed, and may not when tried again. */
  isOutage?: true | undefined;
  /** HTTP status of the answer, where one was asked for. */
  httpStatus?: number | undefined;
  milliseconds?: number | undefined;
}

export type CheckName =
  | 'discovery'
  | 'json'
  | 'issuer'
  | 'endpoints'
  | 'signing_algorithms'
  | 'keys'
  | 'code_flow'
  | 'pkce'
  | 'client_authentication'
  | 'user_info'
  | 'authorization_url'
  | 'token_url'
  | 'user_info_url'
  | 'emails_url'
  | 'metadata'
  | 'entity_id'
  | 'certificates'
  | 'sso_url'
  | 'logout'
  | 'own_keys'
  | 'name_id_format'
  | 'request_signing'
  | 'sha1'
  | 'idp_initiated'
  | 'time';

export interface ProviderReport {
  /** No check failed; warnings do not stop a sign-in. */
  ok: boolean;
  checks: ProviderCheck[];
  milliseconds: number;
  /** What to configure instead, when the provider publishes another issuer. */
  issuerToCopy?: string | undefined;
}

/** What the checks write down, as they go. */
export interface Findings {
  checks: ProviderCheck[];
  issuerToCopy?: string | undefined;
}

export function passed(name: CheckName, message: string): ProviderCheck {
  return { name, status: 'ok', message };
}

export function warned(name: CheckName, message: string): ProviderCheck {
  return { name, status: 'warn', message };
}

/** A refusal as a check; anything else is a bug and thrown on. */
export function failed(name: CheckName, error: unknown, advice = ''): ProviderCheck {
  if (!(error instanceof LoginRefused)) throw error;
  const { message, reason, detail } = error;
  const evidence = detail === undefined ? '' : ` (${detail})`;
  return {
    name,
    status: 'fail',
    message: `${message.replace(/\.$/, '')}${evidence}.${advice}`,
    reason,
    ...(isOutage(error) && { isOutage: true }),
  };
}
