import type { Departure, OneTimeProof } from '#src/sso/connector.ts';
import { isStorableText } from '#src/sso/connectors/storable.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { samlUrls } from '#src/sso/providers/provider-urls.ts';
import { findParty, refreshParty } from '#src/sso/saml/find-party.ts';
import { faultOfRequest, faultOfResponse } from '#src/sso/saml/logout/judge-logout.ts';
import type { LogoutEnvelope } from '#src/sso/saml/logout/open-envelope.ts';
import { readLogoutRequest, readLogoutResponse } from '#src/sso/saml/logout/read-logout.ts';
import { readNameId } from '#src/sso/saml/logout/read-name-id.ts';
import { requireDetached, requireEnveloped } from '#src/sso/saml/logout/require-signature.ts';
import { writeLogoutResponse } from '#src/sso/saml/logout/write-logout.ts';
import { carryMessage } from '#src/sso/saml/messages/carry-message.ts';
import { decodePosted, decodeRedirected } from '#src/sso/saml/messages/decode-message.ts';
import { LONGEST_AGE, SKEW } from '#src/sso/saml/messages/read-time.ts';
import { newMessageId } from '#src/sso/saml/messages/write-message.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';
import { SUCCESS } from '#src/sso/saml/urns.ts';

/** A message about logging out, and between whom. */
export interface LogoutExchange {
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
export async function receiveLogoutRequest(exchange: LogoutExchange): Promise<AcceptedRequest> {
  const { party, xml } = await openEnvelope(exchange);
  const request = readLogoutRequest(xml);
  const fault = faultOfRequest(request, expectedOf(exchange, party));
  if (fault) throw new LoginRefused(fault.reason, fault.detail);
  const { id, sids, person, issuedAt } = request;
  const expiresAt = new Date(issuedAt + LONGEST_AGE + 2 * SKEW).toISOString();
  const subject = await readNameId(person, xml, exchange.provider.decryptionKey);
  if (![id, subject, ...sids].every(isStorableText))
    throw new LoginRefused('message_invalid', 'not storable');
  const proof = { id, expiresAt, issuedAt: new Date(issuedAt).toISOString() };
  return { id, party, subject, sids, proof };
}

/** What a provider answers to our wish: whether all sessions of the person have ended there. Throws `LoginRefused`. */
export async function receiveLogoutResponse(
  exchange: LogoutExchange,
  requestId: string,
): Promise<{ confirmed: boolean }> {
  const { party, xml } = await openEnvelope(exchange);
  const response = readLogoutResponse(xml);
  const fault = faultOfResponse(response, { ...expectedOf(exchange, party), requestId });
  if (fault) throw new LoginRefused(fault.reason, fault.detail);
  return { confirmed: response.status === SUCCESS };
}

/** Tells the provider that the sessions have ended; undefined when it does not say where it wants to hear that. */
export async function answerLogoutRequest(
  { provider, access, appUrl, envelope }: LogoutExchange,
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
async function openEnvelope(exchange: LogoutExchange): Promise<Opened> {
  const { provider, access } = exchange;
  const party = await findParty(provider, access);
  try {
    return { party, xml: await openWith(exchange, party) };
  } catch (error) {
    if (!(error instanceof LoginRefused) || error.reason !== 'signature_invalid') throw error;
    const newer = await refreshParty(provider, access, party);
    if (!newer) throw error;
    return { party: newer, xml: await openWith(exchange, newer) };
  }
}

/** A signature over a query is checked before anything is made of what it covers. */
async function openWith(
  { provider, envelope }: LogoutExchange,
  { certificates }: SamlParty,
): Promise<string> {
  const trust = { certificates, allowSha1: provider.allowSha1 };
  if (envelope.binding === 'redirect') {
    requireDetached(envelope.signature, trust);
    return decodeRedirected(envelope.value);
  }
  return await requireEnveloped(decodePosted(envelope.value), trust);
}

function expectedOf({ provider, access, appUrl }: LogoutExchange, { entityId }: SamlParty) {
  const { logout_url: destination } = samlUrls(provider.id, appUrl);
  return { issuer: entityId, destination, now: access.now() };
}
