import { AppError } from '#src/kernel/errors.ts';
import type { ProviderReport } from '#src/sso/checks/provider-check.ts';

/**
 * Why a provider that answers like this is not saved (decisions, section 3, Discovery): `service_unavailable` when trying
 * again may help, else `validation_failed`; undefined when it may be saved.
 */
export function refuseReport({ ok, checks }: ProviderReport): AppError | undefined {
  const failures = checks.filter(({ status }) => status === 'fail');
  if (ok || failures.length === 0) return undefined;
  const errors = failures.map(({ message }) => `issuer: ${message}`);
  const unavailable = failures.every((failure) => failure.isOutage);
  return new AppError(unavailable ? 'service_unavailable' : 'validation_failed', errors.join('; '), {
    errors,
  });
}
