import { IdentityProvider, ServiceProvider } from 'samlify';
import { attributeStatement, escapeXml, type SentAttributes } from '#test/sso/support/saml-attributes.ts';
import { bareBase64, samlKey } from '#test/sso/support/saml-keys.ts';
import type { Misbehaviour } from '#test/sso/support/saml-misbehaviour.ts';
import { type ReceivedRequest, readRequest } from '#test/sso/support/saml-request.ts';
import { newId, type ResponseContent, writeResponse } from '#test/sso/support/saml-response.ts';

export interface SamlIdpOptions {
  entityId?: string;
  base?: string;
  /** Another name is another key. */
  keyName?: string;
}

export interface AnswerOptions {
  /** Undefined: nobody asked. */
  requestId?: string | undefined;
  acsUrl: string;
  /** Usually the entity id that belongs to `acsUrl`. */
  audience?: string | undefined;
  relayState?: string | undefined;
  nameId?: string | undefined;
  nameIdFormat?: string | undefined;
  sessionIndex?: string | undefined;
  attributes?: SentAttributes | undefined;
  /** PEM; of whom it is encrypted for. */
  encryptTo?: string | undefined;
  /** Without it samlify answers. */
  misbehave?: Misbehaviour | undefined;
}

export type PostedAnswer = { SAMLResponse: string; RelayState?: string };

export interface SamlIdp {
  entityId: string;
  /** PEM. */
  certificate: string;
  /** PEM. */
  key: string;
  ssoUrl: string;
  logoutUrl: string;
  metadata(): string;
  /** What `createProvider` needs. */
  fields(changes?: Record<string, unknown>): Record<string, unknown>;
  readRequest(request: URL | Readonly<Record<string, string>>, certificate?: string): ReceivedRequest;
  answer(options: AnswerOptions): Promise<PostedAnswer>;
}

export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** An identity provider where everybody is Ada; samlify by nature, and by hand where it is to misbehave. */
export async function createSamlIdp(options: SamlIdpOptions = {}): Promise<SamlIdp> {
  const { base = 'https://idp.example.com', keyName = 'identity provider' } = options;
  const entityId = options.entityId ?? `${base}/metadata`;
  const pair = await samlKey(keyName);
  const ssoUrl = `${base}/sso`;
  const logoutUrl = `${base}/logout`;

  return {
    entityId,
    certificate: pair.certificate,
    key: pair.privateKey,
    ssoUrl,
    logoutUrl,
    metadata: () => writeMetadata({ entityId, certificate: pair.certificate, ssoUrl, logoutUrl }),
    fields: (changes = {}) => ({
      strategy: 'saml',
      name: 'corp',
      label: 'Company login',
      sso_url: ssoUrl,
      entity_id: entityId,
      certificate: pair.certificate,
      ...changes,
    }),
    readRequest,
    answer: async ({ relayState, misbehave, ...wanted }) => {
      const content = { ...withDefaults(wanted), entityId, key: pair };
      const encoded =
        misbehave === undefined
          ? await answerBySamlify(content, ssoUrl)
          : Buffer.from(await writeResponse(content, misbehave)).toString('base64');
      return { SAMLResponse: encoded, ...(relayState !== undefined && { RelayState: relayState }) };
    },
  };
}

function withDefaults(wanted: AnswerOptions): Omit<ResponseContent, 'entityId' | 'key'> {
  const nameId = wanted.nameId ?? 'ada@example.com';
  return {
    requestId: wanted.requestId,
    acsUrl: wanted.acsUrl,
    audience: wanted.audience ?? wanted.acsUrl.replace(/\/callback$/, ''),
    nameId,
    nameIdFormat: wanted.nameIdFormat ?? EMAIL_FORMAT,
    sessionIndex: wanted.sessionIndex ?? '_session-1',
    attributes: wanted.attributes ?? { email: nameId, firstName: 'Ada', lastName: 'Lovelace' },
    encryptTo: wanted.encryptTo,
  };
}

async function answerBySamlify(content: ResponseContent, ssoUrl: string): Promise<string> {
  const { entityId, key, requestId, acsUrl, audience, encryptTo } = content;
  const post = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
  const provider = IdentityProvider({
    entityID: entityId,
    privateKey: key.privateKey,
    signingCert: key.certificate,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    singleSignOnService: [{ Binding: post, Location: ssoUrl }],
    singleLogoutService: [{ Binding: post, Location: ssoUrl }],
    isAssertionEncrypted: encryptTo !== undefined,
    dataEncryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    loginResponseTemplate: { context: TEMPLATE, attributes: [] },
  } as Parameters<typeof IdentityProvider>[0]);
  const service = ServiceProvider({
    entityID: audience,
    wantAssertionsSigned: true,
    assertionConsumerService: [{ Binding: post, Location: acsUrl }],
    ...(encryptTo !== undefined && { encryptCert: encryptTo }),
  });
  const { context } = await provider.createLoginResponse(
    service,
    { extract: { request: { id: requestId ?? '' } } },
    'post',
    {},
    (template: string) => ({
      id: newId(),
      context: fill(template, content),
      type: 'SAMLResponse',
      entityEndpoint: acsUrl,
    }),
  );
  return context;
}

/** Written as its documentation shows; what belongs in it is left to whoever uses it. */
const TEMPLATE =
  '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{ID}" Version="2.0" IssueInstant="{Now}" Destination="{AcsUrl}"{InResponseTo}><saml:Issuer>{Issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{AssertionID}" Version="2.0" IssueInstant="{Now}"><saml:Issuer>{Issuer}</saml:Issuer><saml:Subject><saml:NameID Format="{NameIDFormat}">{NameID}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="{Later}" Recipient="{AcsUrl}"{InResponseTo}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{Now}" NotOnOrAfter="{Later}"><saml:AudienceRestriction><saml:Audience>{Audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{Now}" SessionIndex="{SessionIndex}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>{Attributes}</saml:Assertion></samlp:Response>';

function fill(template: string, content: ResponseContent): string {
  const { requestId } = content;
  const texts: Record<string, string> = {
    ID: newId(),
    AssertionID: newId(),
    Now: new Date().toISOString(),
    Later: new Date(Date.now() + 300_000).toISOString(),
    AcsUrl: escapeXml(content.acsUrl),
    Audience: escapeXml(content.audience),
    Issuer: escapeXml(content.entityId),
    InResponseTo: requestId === undefined ? '' : ` InResponseTo="${escapeXml(requestId)}"`,
    NameID: escapeXml(content.nameId),
    NameIDFormat: content.nameIdFormat,
    SessionIndex: escapeXml(content.sessionIndex),
    Attributes: attributeStatement(content.attributes),
  };
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => texts[name] ?? whole);
}

interface Published {
  entityId: string;
  certificate: string;
  ssoUrl: string;
  logoutUrl: string;
}

function writeMetadata({ entityId, certificate, ssoUrl, logoutUrl }: Published): string {
  const bindings = ['HTTP-Redirect', 'HTTP-POST'];
  const service = (element: string, location: string) =>
    bindings
      .map(
        (name) =>
          `<${element} Binding="urn:oasis:names:tc:SAML:2.0:bindings:${name}" Location="${escapeXml(location)}"/>`,
      )
      .join('');
  return [
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}">`,
    '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
    '<KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>',
    `<ds:X509Certificate>${bareBase64(certificate)}</ds:X509Certificate>`,
    '</ds:X509Data></ds:KeyInfo></KeyDescriptor>',
    service('SingleLogoutService', logoutUrl),
    `<NameIDFormat>${EMAIL_FORMAT}</NameIDFormat>`,
    service('SingleSignOnService', ssoUrl),
    '</IDPSSODescriptor></EntityDescriptor>',
  ].join('');
}
