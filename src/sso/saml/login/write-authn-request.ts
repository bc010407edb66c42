import { type MessageHead, writeAttributes, writeMessage } from '#src/sso/saml/messages/write-message.ts';
import { BINDINGS } from '#src/sso/saml/urns.ts';

interface Wanted {
  acsUrl: string;
  nameIdFormat: string;
}

/** An AuthnRequest (SAML Core, section 3.4.1). How somebody is to sign in is for the provider to decide. */
export function writeAuthnRequest(head: MessageHead, { acsUrl, nameIdFormat }: Wanted): string {
  const policy = writeAttributes([
    ['Format', nameIdFormat],
    ['AllowCreate', 'true'],
  ]);
  return writeMessage('AuthnRequest', head, {
    attributes: [
      ['ProtocolBinding', BINDINGS.post],
      ['AssertionConsumerServiceURL', acsUrl],
    ],
    content: `<samlp:NameIDPolicy${policy}/>`,
  });
}
