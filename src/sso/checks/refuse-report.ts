import { AppError } from '#src/kernel/errors.ts';
import type { ProviderReport } from '#src/sso/checks/provider-check.ts';
import type { RefusalReason } from '#src/sso/login-refused.ts';

const OUTAGES: readonly RefusalReason[] = ['provider_unreachable', 'provider_timeout', 'provider_failed'];

/**
 * Why a provider that answers like this is not saved (decisions, section 3, Discovery): `service_unavailable` when it
 * does not answer at all, else `validation_failed`; undefined when it may be saved.
 */
export function refuseReport({ ok, checks }: ProviderReport): AppError | undefined {
  const failures = checks.filter(({ status }) => status === 'fail');
  if (ok || failures.length === 0) return undefined;
  const errors = failures.map(({ message }) => `issuer: ${message}`);
  const unavailable = failures.every(({ reason }) => isOutage(reason));
  return new AppError(unavailable ? 'service_unavailable' : 'validation_failed', errors.join('; '), {
    errors,
  });
}

/** Whether trying again may help. */
export function isOutage(reason: RefusalReason | undefined): boolean {
  return reason !== undefined && OUTAGES.includes(reason);
}
