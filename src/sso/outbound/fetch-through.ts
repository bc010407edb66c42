import type { CustomFetch } from 'openid-client';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Outbound, OutboundRequest } from '#src/sso/outbound/outbound.ts';
import type { Answer } from '#src/sso/outbound/send-request.ts';

/** The only way out in the shape of `fetch`, as openid-client wants it. */
export function fetchThrough(
  outbound: Pick<Outbound, 'request'>,
  limits: Pick<OutboundRequest, 'allowsPrivate' | 'signal'>,
): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await outbound.request(new URL(url), {
      ...limits,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : undefined,
    });
    return toResponse(answer);
  };
}

function toResponse({ status, contentType, challenge, text }: Answer): Response {
  if (status < 200 || status > 599) throw new LoginRefused('provider_failed', String(status));
  const headers = new Headers();
  if (contentType) headers.set('content-type', contentType);
  if (challenge) headers.set('www-authenticate', challenge);
  return new Response(text === '' ? null : text, { status, headers });
}
