import type { KeyUse } from '#src/sso/providers/make-certificate.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';

/** Our certificates at a provider, as PEM, by what their keys are for. */
export function ownCertificates({
  certificate,
  decryptionCertificate,
}: SamlProvider): { use: KeyUse; pem: string }[] {
  return [
    ...(certificate === undefined ? [] : [{ use: 'signing', pem: certificate } as const]),
    ...(decryptionCertificate === undefined
      ? []
      : [{ use: 'encryption', pem: decryptionCertificate } as const]),
  ];
}
