import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { PROVIDER } from '#test/bench/federated-crowd.ts';
import type { ServerProcess } from '#test/bench/processes.ts';
import { requestText } from '#test/bench/requests.ts';

/** A browser that nobody is signed in with. */
export interface Browser {
  cookie: string;
  /** Of its forms. */
  token: string;
}

const AT_ONCE = 16;

/** Opens the login page once. */
export async function openBrowser({ port }: ServerProcess, provider = PROVIDER): Promise<Browser> {
  const response = await fetch(`http://127.0.0.1:${port}/sessions/new`, { headers: { Accept: 'text/html' } });
  const page = await response.text();
  const cookie = response.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const token = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1];
  if (token === undefined || !page.includes(`/auth/${provider}`)) {
    throw new WrongAnswer(`the login page answers ${response.status} and offers no ${provider}`);
  }
  return { cookie: cookie.join('; '), token };
}

/**
 * The callbacks of so many logins that were started at the product and signed in at the provider, as they go over the
 * wire. Each can be sent once.
 */
export async function startLogins(
  product: ServerProcess,
  browser: Browser,
  count: number,
): Promise<string[]> {
  const callbacks: string[] = [];
  let left = count;
  const drive = async () => {
    while (left-- > 0) callbacks.push(await startLogin(product, browser));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, drive));
  return callbacks;
}

async function startLogin({ port }: ServerProcess, { cookie, token }: Browser): Promise<string> {
  const sent = await follow(`http://127.0.0.1:${port}/auth/${PROVIDER}`, {
    method: 'POST',
    headers: { Cookie: cookie },
    body: new URLSearchParams({ csrf_token: token }),
  });
  const { pathname, search } = await follow(sent);
  return requestText({ path: pathname + search, headers: { Cookie: cookie, Accept: 'text/html' } });
}

/** Where a redirect leads. */
async function follow(url: string | URL, init: RequestInit = {}): Promise<URL> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const text = await response.text();
  const location = response.headers.get('location');
  if (response.status !== 303 || location === null) {
    throw new WrongAnswer(`starting a login answers ${response.status}: ${text}`);
  }
  return new URL(location);
}
