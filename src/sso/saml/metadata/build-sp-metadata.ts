import { X509Certificate } from 'node:crypto';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { samlUrls } from '#src/sso/providers/provider-urls.ts';
import { CIPHERS, KEY_TRANSPORTS } from '#src/sso/saml/messages/algorithms.ts';
import { escapeXml } from '#src/sso/saml/messages/write-message.ts';
import { BINDINGS, NAMESPACES } from '#src/sso/saml/urns.ts';

interface Ours {
  appUrl: string;
  /** What people are asked to be named by. */
  nameIdFormat: string;
}

/** Our own metadata for one identity provider, in the order of its schema (SAML Metadata, section 2.4.4). */
export function buildSpMetadata(provider: SamlProvider, { appUrl, nameIdFormat }: Ours): string {
  const urls = samlUrls(provider.id, appUrl);
  const logout = escapeXml(urls.logout_url);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${NAMESPACES.metadata}" xmlns:ds="${NAMESPACES.signature}" entityID="${escapeXml(urls.entity_id)}">`,
    `  <md:SPSSODescriptor AuthnRequestsSigned="${provider.signRequests}" protocolSupportEnumeration="${NAMESPACES.protocol}">`,
    // Sign-outs are signed with the same key, also where sign-ins are not.
    ...(provider.certificate === undefined ? [] : keyDescriptor('signing', provider.certificate)),
    ...(provider.decryptionCertificate === undefined
      ? []
      : keyDescriptor('encryption', provider.decryptionCertificate, [...CIPHERS, ...KEY_TRANSPORTS])),
    // Both, although ours go by one: some providers answer only by what is named here.
    `    <md:SingleLogoutService Binding="${BINDINGS.redirect}" Location="${logout}"/>`,
    `    <md:SingleLogoutService Binding="${BINDINGS.post}" Location="${logout}"/>`,
    `    <md:NameIDFormat>${escapeXml(nameIdFormat)}</md:NameIDFormat>`,
    `    <md:AssertionConsumerService Binding="${BINDINGS.post}" Location="${escapeXml(urls.callback_url)}" index="0" isDefault="true"/>`,
    '  </md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n');
}

function keyDescriptor(use: string, pem: string, methods: readonly string[] = []): string[] {
  const base64 = new X509Certificate(pem).raw.toString('base64');
  return [
    `    <md:KeyDescriptor use="${use}">`,
    '      <ds:KeyInfo>',
    '        <ds:X509Data>',
    `          <ds:X509Certificate>${base64}</ds:X509Certificate>`,
    '        </ds:X509Data>',
    '      </ds:KeyInfo>',
    ...methods.map((method) => `      <md:EncryptionMethod Algorithm="${method}"/>`),
    '    </md:KeyDescriptor>',
  ];
}
