import { WrongAnswer } from '#test/bench/compare-answers.ts';
import type { ServerProcess } from '#test/bench/processes.ts';
import { requestText } from '#test/bench/requests.ts';
import type { Browser } from '#test/bench/start-logins.ts';
import type { SamlIdp } from '#test/sso/support/saml-idp.ts';

/** A login that was started at the product and answered by the provider, not brought back yet. */
export interface AnsweredLogin {
  acsUrl: string;
  /** In base64. */
  response: string;
  /** The request by which a browser brings it back, as it goes over the wire. */
  post: string;
}

interface Answering {
  product: ServerProcess;
  browser: Browser;
  idp: SamlIdp;
  provider: string;
  /** How many groups each of them is in. */
  groups: number;
  /** Who signs in, by number. */
  nameIdOf: (login: number) => string;
}

export async function answerLogins(answering: Answering, count: number): Promise<AnsweredLogin[]> {
  const answered: AnsweredLogin[] = [];
  while (answered.length < count) answered.push(await answerLogin(answering, answered.length));
  return answered;
}

async function answerLogin(answering: Answering, login: number): Promise<AnsweredLogin> {
  const { product, browser, idp, provider, groups, nameIdOf } = answering;
  const response = await fetch(`http://127.0.0.1:${product.port}/auth/${provider}`, {
    method: 'POST',
    headers: { Cookie: browser.cookie },
    body: new URLSearchParams({ csrf_token: browser.token }),
    redirect: 'manual',
  });
  const location = response.headers.get('location');
  await response.arrayBuffer();
  if (response.status !== 303 || location === null) {
    throw new WrongAnswer(`starting a SAML login answers ${response.status}`);
  }
  const { id, acsUrl, relayState = '' } = idp.readRequest(new URL(location));
  const { SAMLResponse } = await idp.answer({
    requestId: id,
    acsUrl,
    nameId: nameIdOf(login),
    attributes: {
      email: nameIdOf(login),
      groups: Array.from({ length: groups }, (_, group) => `cn=group-${group},ou=groups,dc=example,dc=com`),
    },
    misbehave: {},
  });
  const path = new URL(acsUrl).pathname;
  return {
    acsUrl,
    response: SAMLResponse,
    // Of another site, so without the cookie.
    post: requestText({
      method: 'POST',
      path,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' },
      body: new URLSearchParams({ SAMLResponse, RelayState: relayState }).toString(),
    }),
  };
}
