import { html } from '#src/http/html.ts';

interface ErrorPage {
  status: number;
  message: string;
  requestId: string;
}

/** What a browser shows of an error: a sentence, and the id to quote when asking for help. */
export function errorPage({ status, message, requestId }: ErrorPage): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${status}</title>
<h1>${status}</h1>
<p>${message}</p>
<p><small>Request ${requestId}</small></p>
</html>
`.text;
}
