import { createProvider } from '#src/sso/providers/create-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { pressButton } from '#test/http/federated.ts';
import type { Served } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import type { AnswerOptions, PostedAnswer, SamlIdp } from '#test/sso/support/saml-idp.ts';
import type { ReceivedRequest } from '#test/sso/support/saml-request.ts';
import type { Harness } from '#test/support/database.ts';

/** A SAML provider in the database, named `corp` unless told otherwise. */
export function givenCorp(
  harness: Harness,
  idp: SamlIdp,
  changes: Record<string, unknown> = {},
): Promise<Provider> {
  return harness.perform((work) => createProvider(work, idp.fields(changes)));
}

/** Presses the button of the provider; the request that the browser carries away, by either binding. */
export async function askCorp(
  visitor: Visitor,
  idp: SamlIdp,
  at: { name?: string; page?: string } = {},
): Promise<ReceivedRequest> {
  return readDeparture(await pressButton(visitor, { name: 'corp', ...at }), idp);
}

/** The request that a browser is sent away with. */
export function readDeparture(sent: Visited, idp: SamlIdp): ReceivedRequest {
  if (sent.location !== '') return idp.readRequest(new URL(sent.location));
  const inputs = sent.root.querySelectorAll('form#go-on input');
  if (inputs.length === 0) throw new Error(`the button answered ${sent.status}: ${sent.text}`);
  const fields = inputs.map((input) => [input.getAttribute('name'), input.getAttribute('value')]);
  return idp.readRequest(Object.fromEntries(fields));
}

/** What the provider says to this request. */
export function reply(
  idp: SamlIdp,
  { id, acsUrl, relayState }: ReceivedRequest,
  options: Partial<AnswerOptions> = {},
): Promise<PostedAnswer> {
  return idp.answer({ requestId: id, acsUrl, relayState, ...options });
}

export const CORP_CALLBACK = '/auth/saml/corp/callback';

/** How a browser posts a form of another site: without any cookie of ours, but it keeps those that it gets. */
export async function postAcross(
  served: Pick<Served, 'url'>,
  visitor: Visitor,
  form: Readonly<Record<string, string>> | string,
  { path = CORP_CALLBACK, headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Visited> {
  const bare = visit(served);
  const answer = await bare.send(path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Origin: 'https://idp.example.com',
      'Sec-Fetch-Site': 'cross-site',
      ...headers,
    },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
  for (const [name, value] of bare.cookies) visitor.cookies.set(name, value);
  return answer;
}

/** A whole sign-in at the provider: what its answer was answered, and then the browser that went on. */
export async function signInByCorp(
  served: Pick<Served, 'url'>,
  idp: SamlIdp,
  options: Partial<AnswerOptions> & { at?: { name?: string; page?: string } } = {},
): Promise<{ visitor: Visitor; posted: Visited; answer: Visited }> {
  const { at, ...said } = options;
  const visitor = visit(served);
  const request = await askCorp(visitor, idp, at);
  const path = new URL(request.acsUrl).pathname;
  const posted = await postAcross(served, visitor, await reply(idp, request, said), { path });
  const answer = posted.location === '' ? posted : await visitor.get(posted.location);
  return { visitor, posted, answer };
}
