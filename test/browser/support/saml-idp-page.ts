import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { escapeXml } from '#test/sso/support/saml-attributes.ts';
import type { PostedAnswer, SamlIdp } from '#test/sso/support/saml-idp.ts';

/**
 * An identity provider for browsers, where everybody is signed in already: `/sso` answers requests of both bindings,
 * `/start?acs=…` answers what nobody asked. The answer goes by a form, by itself or by its button.
 */
export function samlIdpPage(idp: () => SamlIdp): RequestListener {
  const answer: (...exchange: Parameters<RequestListener>) => Promise<void> = async (request, response) => {
    const url = new URL(request.url ?? '', idp().ssoUrl);
    const posted = Object.fromEntries(new URLSearchParams(await text(request)));
    const asked =
      url.pathname === '/start'
        ? { acsUrl: url.searchParams.get('acs') ?? '', relayState: '/settings/api_keys' }
        : idp().readRequest(request.method === 'POST' ? posted : url);
    const { acsUrl, relayState } = asked;
    const form = await idp().answer({ requestId: 'id' in asked ? asked.id : undefined, acsUrl, relayState });
    response.writeHead(200, { 'content-type': 'text/html' }).end(writePage(acsUrl, form));
  };
  return (request, response) => void answer(request, response);
}

function writePage(acsUrl: string, form: PostedAnswer): string {
  const inputs = Object.entries(form).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeXml(value)}">`,
  );
  return `<!doctype html><title>Identity provider</title><link rel="icon" href="data:,">
<form method="post" action="${acsUrl}">${inputs.join('')}<button>Continue</button></form>
<script>document.forms[0].submit()</script>`;
}
