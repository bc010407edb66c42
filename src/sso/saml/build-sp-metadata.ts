import { X509Certificate } from 'node:crypto';
import type { SamlProvider } from '#src/sso/provider.ts';
import { providerUrls } from '#src/sso/provider-urls.ts';
import { BINDING_URNS, METADATA, PROTOCOL, SIGNATURE } from '#src/sso/saml/metadata-elements.ts';

/** How assertions may be encrypted to us. */
const ENCRYPTION = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
];

/** Our own metadata for one identity provider, in the order of its schema (saml-metadata-2.0-os, section 2.4.4). */
export function buildSpMetadata(provider: SamlProvider, appUrl: string): string {
  const urls = providerUrls({ id: provider.id, name: provider.name, isSaml: true }, appUrl);
  const logout = escapeXml(urls.logout_url ?? '');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" xmlns:ds="${SIGNATURE}" entityID="${escapeXml(urls.entity_id ?? '')}">`,
    `  <md:SPSSODescriptor AuthnRequestsSigned="${provider.signRequests}" protocolSupportEnumeration="${PROTOCOL}">`,
    // Sign-outs are signed with the same key, also where sign-ins are not.
    ...(provider.certificate === undefined ? [] : keyDescriptor('signing', provider.certificate)),
    ...(provider.decryptionCertificate === undefined
      ? []
      : keyDescriptor('encryption', provider.decryptionCertificate, ENCRYPTION)),
    // Both, although ours go by one: some providers answer only by what is named here.
    `    <md:SingleLogoutService Binding="${BINDING_URNS.redirect}" Location="${logout}"/>`,
    `    <md:SingleLogoutService Binding="${BINDING_URNS.post}" Location="${logout}"/>`,
    `    <md:NameIDFormat>${escapeXml(provider.nameIdFormat)}</md:NameIDFormat>`,
    `    <md:AssertionConsumerService Binding="${BINDING_URNS.post}" Location="${escapeXml(urls.callback_url)}" index="0" isDefault="true"/>`,
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

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
