import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { LoginRefused } from '#src/sso/login-refused.ts';
import {
  createResolver,
  guardLookup,
  type ResolveHost,
  refuseLiteral,
} from '#src/sso/outbound/resolve-host.ts';
import { type Answer, sendRequest } from '#src/sso/outbound/send-request.ts';

export interface OutboundRequest {
  method?: 'GET' | 'POST' | undefined;
  headers?: Record<string, string> | undefined;
  body?: string | undefined;
  /** Whether the provider's own configuration leads to a private or loopback address. */
  allowsPrivate: boolean;
  /** The deadline of the whole login. */
  signal?: AbortSignal | undefined;
  /** How many redirects to follow on the same origin; none unless said. */
  redirects?: number | undefined;
}

/** The only way out to identity providers (decisions, section 3: Outbound requests). */
export interface Outbound {
  /** Throws `LoginRefused`; an answer of any other status than a redirect is an answer. */
  request(url: URL, request: OutboundRequest): Promise<Answer>;
  close(): void;
}

export interface OutboundOptions {
  /** True: private addresses always; false: never; undefined: where the provider's own configuration leads there. */
  allowPrivateNetworks?: boolean | undefined;
  /** PEM certificates of the authorities to trust; undefined: those Node trusts. */
  authorities?: string[] | undefined;
  /** Milliseconds for one call, body included. */
  callTimeout?: number | undefined;
  resolveHost?: ResolveHost | undefined;
}

const CALL_TIMEOUT = 5_000;

export function createOutbound(options: OutboundOptions = {}): Outbound {
  const resolveHost = options.resolveHost ?? createResolver();
  const timeout = options.callTimeout ?? CALL_TIMEOUT;
  const { authorities } = options;
  const secureContext = authorities && createSecureContext({ ca: authorities });
  // A socket is reused without another look-up: those to private addresses are never shared with requests that may not go there.
  const agents = new Map(
    [true, false].map((allowsPrivate) => [
      allowsPrivate,
      {
        'http:': new HttpAgent({
          ...SOCKETS,
          lookup: guardLookup(resolveHost, { allowsPrivate, plain: true }),
        }),
        'https:': new HttpsAgent({
          ...SOCKETS,
          ...(secureContext && { secureContext }),
          lookup: guardLookup(resolveHost, { allowsPrivate, plain: false }),
        }),
      },
    ]),
  );

  const send = (url: URL, request: OutboundRequest) => {
    const allowsPrivate = options.allowPrivateNetworks ?? request.allowsPrivate;
    const { protocol } = url;
    if ((protocol !== 'http:' && protocol !== 'https:') || url.username || url.password) {
      throw new LoginRefused('provider_address_refused');
    }
    refuseLiteral(url, { allowsPrivate, plain: protocol === 'http:' });
    return sendRequest(url, request, { agent: agents.get(allowsPrivate)?.[protocol], timeout });
  };

  return {
    request: async (url, request) => {
      let answer = await send(url, request);
      for (let left = request.redirects ?? 0; isRedirect(answer); left -= 1) {
        answer = await send(followed(answer, left), request);
      }
      return answer;
    },
    close: () => {
      for (const pair of agents.values()) {
        pair['http:'].destroy();
        pair['https:'].destroy();
      }
    },
  };
}

const SOCKETS = {
  keepAlive: true,
  maxSockets: 64,
  maxFreeSockets: 16,
  autoSelectFamilyAttemptTimeout: 1_000,
} as const;

const isRedirect = ({ status }: Answer) => status >= 300 && status < 400 && status !== 304;

function followed({ url, location }: Answer, left: number): URL {
  const next = location === undefined ? null : URL.parse(location, url.href);
  if (left <= 0 || next?.origin !== url.origin) throw new LoginRefused('provider_redirected');
  return next;
}
