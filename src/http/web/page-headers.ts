interface PagePolicy {
  /** Where else a form may lead, since browsers hold its redirects against the policy too. */
  formTargets?: readonly string[];
  /** Whether it has a script of ours. */
  scripted?: boolean;
  /** Whether other sites may show it in a frame: nothing on it may depend on who looks at it. */
  framed?: boolean;
}

/** Nothing but our own style sheet, icon and forms; nobody may frame a page. Referrers stay here, so Origin is sent. */
export function pageHeaders({
  formTargets = [],
  scripted = false,
  framed = false,
}: PagePolicy = {}): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      ...(scripted ? ["script-src 'self'"] : []),
      "img-src 'self'",
      ["form-action 'self'", ...formTargets].join(' '),
      ...(framed ? [] : ["frame-ancestors 'none'"]),
      "base-uri 'none'",
    ].join('; '),
    'Referrer-Policy': 'same-origin',
    ...(framed ? {} : { 'X-Frame-Options': 'DENY' }),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  };
}
