import type { ResponseCheck } from '#src/sso/saml/login/response-check.ts';
import type { SamlIdp } from '#test/sso/support/saml-idp.ts';
import { ACS_URL } from '#test/sso/support/saml-login.ts';

const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** A response in base64, and what it is measured by: a provider set up as by default, and a request that waits. */
export function checkOf(idp: SamlIdp, message: string, changes: Partial<ResponseCheck> = {}): ResponseCheck {
  return {
    message,
    party: { entityId: idp.entityId, certificates: [idp.certificate], nameIdFormat: EMAIL },
    policy: {
      allowSha1: false,
      decryptionKey: undefined,
      requireEncryptedAssertions: false,
      groupAttribute: undefined,
      attributes: {},
    },
    entityId: ACS_URL.replace('/callback', ''),
    acsUrl: ACS_URL,
    answers: { requestId: '_1' },
    now: Date.now(),
    thorough: false,
    ...changes,
  };
}
