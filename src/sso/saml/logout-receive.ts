import type { Departure, OneTimeProof } from '#src/sso/connector.ts';
import { isStorableText } from '#src/sso/connectors/storable.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { SamlProvider } from '#src/sso/provider.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import { samlUrls } from '#src/sso/provider-urls.ts';
import { decodePosted, decodeRedirected } from '#src/sso/saml/decode-message.ts';
import { findParty, refreshParty } from '#src/sso/saml/find-party.ts';
import { carryMessage } from '#src/sso/saml/logout-departure.ts';
import type { LogoutEnvelope } from '#src/sso/saml/logout-envelope.ts';
import { CLOCK_SKEW, faultOfRequest, faultOfResponse, LONGEST_AGE } from '#src/sso/saml/logout-judge.ts';
import { newMessageId, SUCCESS, writeLogoutResponse } from '#src/sso/saml/logout-message.ts';
import { readNameId } from '#src/sso/saml/logout-name-id.ts';
import { readLogoutRequest, readLogoutResponse } from '#src/sso/saml/logout-read.ts';
import { requireDetached, requireEnveloped } from '#src/sso/saml/logout-signature.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/** A message about logging out, and between whom. */
export interface LogoutMail {
  provider: SamlProvider;
  access: ProviderAccess;
  appUrl: string;
  envelope: LogoutEnvelope;
}

/** Whose sessions a provider ends. */
export interface AcceptedRequest {
  id: string;
  /** Who wishes it. */
  party: SamlParty;
  subject: string;
  /** Empty: all of theirs. */
  sids: string[];
  /** For the caller: to be accepted once only. */
  proof: OneTimeProof;
}

/** A provider's wish to end sessions, proven to be its own. Throws `LoginRefused`. */
export async function receiveLogoutRequest(mail: LogoutMail): Promise<AcceptedRequest> {
  const { party, xml } = await openEnvelope(mail);
  const request = readLogoutRequest(xml);
  const fault = faultOfRequest(request, expectedOf(mail, party));
  if (fault) throw new LoginRefused(fault.reason, fault.detail);
  const { id, sids, person, issuedAt } = request;
  const expiresAt = new Date(issuedAt.getTime() + LONGEST_AGE + 2 * CLOCK_SKEW).toISOString();
  const subject = await readNameId(person, xml, mail.provider.decryptionKey);
  if (![id, subject, ...sids].every(isStorableText))
    throw new LoginRefused('message_invalid', 'not storable');
  return { id, party, subject, sids, proof: { id, expiresAt } };
}

/** What a provider answers to our wish: whether all sessions of the person have ended there. Throws `LoginRefused`. */
export async function receiveLogoutResponse(
  mail: LogoutMail,
  requestId: string,
): Promise<{ confirmed: boolean }> {
  const { party, xml } = await openEnvelope(mail);
  const response = readLogoutResponse(xml);
  const fault = faultOfResponse(response, { ...expectedOf(mail, party), requestId });
  if (fault) throw new LoginRefused(fault.reason, fault.detail);
  return { confirmed: response.status === SUCCESS };
}

/** Tells the provider that the sessions have ended; undefined when it does not say where it wants to hear that. */
export async function answerLogoutRequest(
  { provider, access, appUrl, envelope }: LogoutMail,
  { id: requestId, party }: Pick<AcceptedRequest, 'id' | 'party'>,
): Promise<Departure | undefined> {
  const { logoutUrl, logoutResponseUrl, logoutBinding: binding } = party;
  const to = logoutResponseUrl ?? logoutUrl;
  if (to === undefined) return undefined;
  const { entity_id: entityId } = samlUrls(provider.id, appUrl);
  const head = { id: newMessageId(), entityId, destination: to, issuedAt: access.now() };
  const xml = writeLogoutResponse(head, requestId);
  const { relayState } = envelope;
  return carryMessage(
    { kind: 'SAMLResponse', xml, relayState },
    { to, binding, privateKey: provider.privateKey },
  );
}

interface Opened {
  party: SamlParty;
  /** What the provider has signed. */
  xml: string;
}

/** A signature by none of the known keys may be by one that the provider has published since. */
async function openEnvelope(mail: LogoutMail): Promise<Opened> {
  const { provider, access } = mail;
  const party = await findParty(provider, access);
  try {
    return { party, xml: await openWith(mail, party) };
  } catch (error) {
    if (!(error instanceof LoginRefused) || error.reason !== 'signature_invalid') throw error;
    const newer = await refreshParty(provider, access, party);
    if (!newer) throw error;
    return { party: newer, xml: await openWith(mail, newer) };
  }
}

/** A signature over a query is checked before anything is made of what it covers. */
async function openWith({ provider, envelope }: LogoutMail, { certificates }: SamlParty): Promise<string> {
  const trust = { certificates, allowSha1: provider.allowSha1 };
  if (envelope.binding === 'redirect') {
    requireDetached(envelope.signature, trust);
    return decodeRedirected(envelope.value);
  }
  return await requireEnveloped(decodePosted(envelope.value), trust);
}

function expectedOf({ provider, access, appUrl }: LogoutMail, { entityId }: SamlParty) {
  const { logout_url: destination } = samlUrls(provider.id, appUrl);
  return { issuer: entityId, destination, now: access.now() };
}
