import { copyField } from '#src/http/admin/sso-fields.ts';
import { capital, certificateTable, metadataForm } from '#src/http/admin/sso-saml-sections.ts';
import { type Html, html } from '#src/http/html.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { day, second } from '#src/http/web/markup.ts';
import { type CertificateFacts, endsSoon, lastEnd } from '#src/sso/providers/describe-certificate.ts';
import { KEY_USES, type KeyUse } from '#src/sso/providers/make-certificate.ts';

const LIST = '/admin/sso_providers';

interface SamlPage {
  name: string;
  token: Html;
  /** Undefined for one that cannot work. */
  inUse: Omit<InUse, 'token'> | undefined;
  keys: Keys['certificates'];
  /** Address of the metadata that was asked for. */
  fromUrl: string | undefined;
  problems: Problem[] | undefined;
}

/** What a SAML provider has beside its settings: what is in use of it, its metadata, and our keys. */
export function samlPage({ name, token, inUse, keys, fromUrl, problems }: SamlPage): Page {
  const action = `${LIST}/${name}/metadata`;
  return {
    title: `SAML of ${name}`,
    problems,
    body: html`<p><a href="${LIST}">All identity providers</a></p>
<p><a href="${LIST}/${name}/edit">Settings of ${name}</a></p>
${inUse && inUseSection({ ...inUse, token })}
${keySection({ name, token, certificates: keys })}
${metadataForm({ action, token, url: fromUrl, problems })}`,
  };
}

export interface InUse {
  name: string;
  token: Html;
  now: Date;
  entityId: string | undefined;
  ssoUrl: string | undefined;
  certificates: readonly (CertificateFacts & { pem: string })[];
  /** Why sessions do not end at both sides; undefined when they do. */
  noLogout: string | undefined;
  /** Undefined where no metadata is read. */
  metadata: { fetchedAt: Date | undefined; problem: string | undefined } | undefined;
}

/** What holds at this moment, from the settings and the metadata together. */
function inUseSection(inUse: InUse): Html {
  const { name, token, now, entityId, ssoUrl, certificates, noLogout, metadata } = inUse;
  const ends = lastEnd(
    certificates.map(({ pem }) => pem),
    now,
  );
  return html`<h2>In use</h2>
${ends && endsSoon(ends, now) && html`<p class="warning">The last certificate ends ${day(ends)}: ask the provider for the next one.</p>`}
<dl class="facts">
<dt>Entity ID</dt><dd>${entityId ?? 'Not known yet'}</dd>
<dt>Sign-in URL</dt><dd>${ssoUrl ?? 'Not known yet'}</dd>
<dt>Single logout</dt><dd>${noLogout === undefined ? 'Works at both sides' : capital(noLogout)}</dd>
${metadata && html`<dt>Metadata</dt><dd>${metadata.fetchedAt ? html`Read ${second(metadata.fetchedAt)} UTC` : 'Not read yet'}${metadata.problem !== undefined && html`; <strong>the last attempt failed</strong>: ${metadata.problem}`}</dd>`}
</dl>
${certificates.length > 0 && certificateTable(certificates)}
<div class="actions">
${metadata && html`<form method="post" action="/admin/sso_providers/${name}/refresh">${token}<button class="quiet">Refresh metadata</button></form>`}
<a class="button quiet" href="/admin/sso_providers/${name}/examine">Examine a response…</a>
</div>`;
}

export interface Keys {
  name: string;
  token: Html;
  /** The certificate of each key that there is. */
  certificates: Partial<Record<KeyUse, CertificateFacts & { pem: string }>>;
}

const KEY_LABELS: Record<KeyUse, { title: string; about: string }> = {
  signing: { title: 'Signing', about: 'Signs sign-outs, and sign-ins when requests are signed.' },
  encryption: { title: 'Encryption', about: 'Opens assertions that the provider encrypts to us.' },
};

/** Our own keys: made here, so that nobody has to know how. */
function keySection({ name, token, certificates }: Keys): Html {
  return html`<h2>Our keys</h2>
${KEY_USES.map((use) => {
  const { title, about } = KEY_LABELS[use];
  const made = certificates[use];
  return html`<h3>${title}</h3>
<p>${about} ${made ? html`The certificate ends ${day(made.expiresAt)}.` : 'There is none.'}</p>
${made && copyField({ id: `our_${use}_fingerprint`, label: `SHA-256 fingerprint (${use})`, value: made.fingerprint })}
${made && html`<pre class="secret" tabindex="0" aria-label="Certificate (${use})">${made.pem}</pre>`}
<form class="actions" method="post" action="/admin/sso_providers/${name}/keygen">${token}<input type="hidden" name="for" value="${use}">
${made && html`<div class="choice"><input id="replace_${use}" name="replace" type="checkbox" value="true"><label for="replace_${use}">Replace the key that is there</label></div>`}
<button class="quiet" aria-label="Make a key for ${use}">Make a key</button></form>`;
})}`;
}
