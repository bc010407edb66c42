import type { Leaver } from '#src/sso/connector.ts';
import {
  escapeXml,
  type MessageHead,
  writeAttributes,
  writeMessage,
} from '#src/sso/saml/messages/write-message.ts';
import { SUCCESS } from '#src/sso/saml/urns.ts';

const BY_USER = 'urn:oasis:names:tc:SAML:2.0:logout:user';

/** SAML Core, section 3.7.1. */
export function writeLogoutRequest(
  head: MessageHead,
  { subject, nameId, sid }: Omit<Leaver, 'entityId'>,
): string {
  const qualifiers = writeAttributes([
    ['NameQualifier', nameId.nameQualifier],
    ['SPNameQualifier', nameId.spNameQualifier],
    ['Format', nameId.format],
  ]);
  const session = sid === undefined ? '' : `<samlp:SessionIndex>${escapeXml(sid)}</samlp:SessionIndex>`;
  return writeMessage('LogoutRequest', head, {
    attributes: [['Reason', BY_USER]],
    content: `<saml:NameID${qualifiers}>${escapeXml(subject)}</saml:NameID>${session}`,
  });
}

/** That the sessions have ended (SAML Core, section 3.7.2). */
export function writeLogoutResponse(head: MessageHead, inResponseTo: string): string {
  return writeMessage('LogoutResponse', head, {
    attributes: [['InResponseTo', inResponseTo]],
    content: `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`,
  });
}
