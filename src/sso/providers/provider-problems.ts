import { AppError, type ErrorExtras } from '#src/kernel/errors.ts';
import { whyNotValid } from '#src/sso/providers/describe-certificate.ts';
import type { Fields, Problem } from '#src/sso/providers/field-reader.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** The provider these fields make. Throws `validation_failed` with everything that is wrong, field by field. */
export function requireProvider(fields: Fields): Provider {
  const { provider, problems } = parseProvider(fields);
  if (!provider) throw refuseProvider(problems);
  return provider;
}

/** Refuses certificates that are not valid at `now`; of all fields, or of those that are `changed`. */
export function requireValidCertificates(provider: Provider, now: Date, changed?: readonly string[]): void {
  const outdated = findOutdated(provider, now).filter(({ field }) => changed?.includes(field) ?? true);
  if (outdated.length > 0) throw refuseProvider(outdated);
}

/** Each error begins with the name of its field. */
export function refuseProvider(problems: readonly Problem[], extras: ErrorExtras = {}): AppError {
  const errors = problems.map(({ field, message }) => `${field}: ${message}`);
  return new AppError('validation_failed', errors.join('; '), { ...extras, errors });
}

export function findOutdated(provider: Provider, now: Date): Problem[] {
  if (provider.strategy !== 'saml') return [];
  const certificates: [string, string | undefined][] = [
    ...provider.certificates.map((certificate): [string, string] => ['certificate', certificate]),
    ['sp_certificate', provider.certificate],
    ['decryption_certificate', provider.decryptionCertificate],
  ];
  return certificates.flatMap(([field, certificate]) => {
    const reason = certificate && whyNotValid(certificate, now);
    return reason ? [{ field, message: reason }] : [];
  });
}
