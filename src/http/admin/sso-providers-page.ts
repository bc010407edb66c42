import { STRATEGY_LABELS } from '#src/http/admin/sso-provider-inputs.ts';
import { type Html, html } from '#src/http/html.ts';
import type { Page } from '#src/http/web/layout.ts';
import { countOf, day, minute, table } from '#src/http/web/markup.ts';
import { endsSoon, lastEnd } from '#src/sso/providers/describe-certificate.ts';
import type { ProviderUsage } from '#src/sso/providers/list-provider-usage.ts';
import { type Provider, STRATEGIES } from '#src/sso/providers/provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import type { KnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { partyInUse } from '#src/sso/saml/party-in-use.ts';

const LIST = '/admin/sso_providers';

interface ProvidersPage {
  entries: readonly ProviderEntry[];
  usage: ReadonlyMap<string, ProviderUsage>;
  /** What SAML providers publish, as it was read last, by provider id. */
  metadata: ReadonlyMap<string, KnownMetadata>;
  /** The file they come from; undefined when they are in the database. */
  file: string | undefined;
  now: Date;
  token: Html;
}

export function providersPage(page: ProvidersPage): Page {
  const { entries, file } = page;
  return {
    title: 'Identity providers',
    body: html`${expiryBanner(page)}${
      file === undefined
        ? html`<p class="actions"><a class="button" href="${LIST}/new">Add a provider</a></p>`
        : fromFile(file)
    }
${entries.length === 0 ? html`<p>There is no identity provider yet.</p>` : list(page)}`,
  };
}

function fromFile(file: string): Html {
  return html`<div class="notice">
<p>These providers come from <code>${file}</code>. They can be read here, not changed; a change of the file holds after a restart.</p>
<p>To manage them here, take them over once and set <code>AUTH_PROVIDERS_SOURCE=db</code>:</p>
<code class="secret">financectl providers migrate --file ${file}</code>
</div>`;
}

/** Before people cannot sign in any more. */
function expiryBanner(page: ProvidersPage): Html | false {
  const ending = page.entries.filter((entry) => entry.enabled && endingOf(entry, page));
  return (
    ending.length > 0 &&
    html`<p class="warning">Certificates end soon or have ended: ${ending.map(({ name }) => name).join(', ')}. Ask for the next ones.</p>`
  );
}

function list(page: ProvidersPage): Html {
  return table({
    caption: `${countOf(page.entries.length, 'identity provider')}, ${page.file === undefined ? 'by name' : 'as in the file'}. Times are UTC.`,
    headings: [
      'Name and button',
      'State',
      'Protocol and address',
      'Certificate ends',
      'Users',
      'Last sign-in',
      'Actions',
    ],
    rows: page.entries.map((entry) => row(entry, page)),
  });
}

function row(entry: ProviderEntry, page: ProvidersPage): Html {
  const { id, name, label, strategy, provider } = entry;
  const used = page.usage.get(id);
  const known = STRATEGIES.find((each) => each === strategy);
  const ends = endOf(entry, page);
  return html`<tr>
<th scope="row">${page.file === undefined ? html`<a href="${LIST}/${name}/edit">${name}</a>` : html`${name} <span class="soft">from the file</span>`}<br><span class="soft">${label}</span></th>
${stateCell(entry, page)}
<td class="some">${known ? STRATEGY_LABELS[known] : strategy}${provider && html`<br>${addressOf(provider, page)}`}</td>
<td class="when">${ends ? day(ends) : '–'}</td>
<td>${used?.users ?? 0}</td>
<td class="when">${minute(used?.lastLoginAt ?? null)}</td>
<td>${actions(entry, page)}</td>
</tr>
`;
}

/** Wide only where there is something to read. */
function stateCell(entry: ProviderEntry, page: ProvidersPage): Html {
  const ending = expiry(entry, page);
  return entry.problem === undefined && ending === undefined
    ? html`<td>${state(entry)}</td>`
    : html`<td class="some">${state(entry)}${ending}</td>`;
}

function state({ enabled, problem }: ProviderEntry): Html {
  if (!enabled) return html`Disabled${problem && html`; <strong>cannot work</strong>: ${problem}`}`;
  return problem === undefined
    ? html`Enabled`
    : html`<strong>Cannot work</strong>, so it has no button: ${problem}`;
}

function expiry(entry: ProviderEntry, page: ProvidersPage): Html | undefined {
  const ends = endingOf(entry, page);
  return ends && html`; <strong>the last certificate ends ${minute(ends)}</strong>`;
}

/** Until when its certificates serve, if that ends soon. */
function endingOf(entry: ProviderEntry, page: ProvidersPage): Date | undefined {
  const ends = endOf(entry, page);
  return ends && endsSoon(ends, page.now) ? ends : undefined;
}

/** Until when its certificates serve. */
function endOf({ id, provider }: ProviderEntry, { metadata, now }: ProvidersPage): Date | undefined {
  if (provider?.strategy !== 'saml') return undefined;
  return lastEnd(partyInUse(provider, metadata.get(id)).certificates, now);
}

function addressOf(provider: Provider, { metadata }: ProvidersPage): string {
  if (provider.strategy === 'openid_connect') return provider.issuer;
  if (provider.strategy === 'oauth2') return provider.authorizationUrl;
  return partyInUse(provider, metadata.get(provider.id)).ssoUrl ?? provider.metadataUrl ?? '';
}

function actions({ name, enabled, provider }: ProviderEntry, { token, file }: ProvidersPage): Html {
  const button = (action: string, text: string) =>
    html`<form method="post" action="${LIST}/${name}/${action}">${token}<button class="quiet" aria-label="${text} ${name}">${text}</button></form>`;
  return html`<div class="actions">
${provider && button('test', 'Test')}
${provider && enabled && button('try', 'Try sign-in')}
${provider?.strategy === 'saml' && html`<a href="${LIST}/${name}/examine" aria-label="Examine a response of ${name}…">Examine…</a>`}
${file === undefined && (enabled ? button('disable', 'Disable') : button('enable', 'Enable'))}
${file === undefined && html`<a href="${LIST}/${name}/delete" aria-label="Delete ${name}…">Delete…</a>`}
</div>`;
}
