import type { SignedIn } from '#src/auth/look-up-session.ts';
import { ICON_PATH, STYLE_PATH } from '#src/http/assets.ts';
import { type Html, html } from '#src/http/html.ts';
import { NOTICES, type Notice } from '#src/http/web/notices.ts';

export interface Page {
  title: string;
  body: Html;
  /** Told at the top: what has just been done. */
  notice?: Notice | undefined;
  /** Told at the top: what is wrong; `field` is the id of the input it is about. */
  problems?: readonly Problem[] | undefined;
  /** Where its forms may lead beside this service: sources of a content security policy. */
  formTargets?: readonly string[] | undefined;
  /** Path of an asset, on the one page that does something by itself. */
  script?: string | undefined;
}

export interface Problem {
  message: string;
  field?: string | undefined;
}

interface Surroundings {
  path: string;
  signedIn: SignedIn | undefined;
  /** The forgery field of the sign-out form. */
  token: Html;
}

/** A whole page: works without scripts, on a phone, in the dark and with a screen reader. */
export function layout(page: Page, around: Surroundings): string {
  return frame(page, header(around));
}

/** A page that knows nothing of who asks: for errors. */
export function bareLayout(page: Page): string {
  return frame(page, BRAND);
}

function frame({ title, body, notice, problems = [], script }: Page, top: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${problems.length > 0 && 'Error: '}${title} – Finance</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" type="image/svg+xml" href="${ICON_PATH}">
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${top}
<main id="main" tabindex="-1">
<h1>${title}</h1>
${notice && html`<p class="notice" role="status">${NOTICES[notice]}</p>`}
${problems.length > 0 && summary(problems)}
${body}
</main>
</body>
</html>
`.text;
}

const BRAND = html`<header class="bar"><span class="brand">Finance</span></header>`;

/** WCAG 2.2, 3.3.1: what is wrong, in words, with a link to where. */
function summary(problems: readonly Problem[]): Html {
  return html`<div class="problems" role="alert">
${problems.map(({ message, field }) => html`<p>${field ? html`<a href="#${field}">${message}</a>` : message}</p>`)}
</div>`;
}

const LINKS: readonly { path: string; text: string; admin?: true }[] = [
  { path: '/settings/security', text: 'Security' },
  { path: '/settings/api_keys', text: 'API keys' },
  { path: '/admin/users', text: 'Users', admin: true },
  { path: '/admin/sso_providers', text: 'Providers', admin: true },
  { path: '/admin/sso_audit_logs', text: 'Audit log', admin: true },
];

function header({ path, signedIn, token }: Surroundings): Html {
  if (!signedIn) return BRAND;
  const links = LINKS.filter(({ admin }) => !admin || signedIn.role === 'super_admin');
  return html`<header class="bar">
<span class="brand">Finance</span>
<nav aria-label="Main">
<ul>
${links.map((link) => html`<li><a href="${link.path}"${isUnder(path, link.path) && html` aria-current="page"`}>${link.text}</a></li>`)}
</ul>
</nav>
<form class="leave" method="post" action="/logout">${token}<span class="who">${signedIn.email}</span><button class="quiet">Sign out</button></form>
</header>`;
}

function isUnder(path: string, link: string): boolean {
  return path === link || path.startsWith(`${link}/`);
}
