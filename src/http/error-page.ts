import { STATUS_CODES } from 'node:http';
import { html } from '#src/http/html.ts';
import { bareLayout } from '#src/http/web/layout.ts';

interface ErrorPage {
  status: number;
  message: string;
  requestId: string;
}

/** What a browser shows of an error: a sentence, and the id to quote when asking for help. */
export function errorPage({ status, message, requestId }: ErrorPage): string {
  return bareLayout({
    title: STATUS_CODES[status] ?? 'Error',
    body: html`<p>${message}</p>
<p class="soft">Error ${status}, request <code>${requestId}</code></p>
<p><a href="/">Go to the start page</a></p>`,
  });
}
