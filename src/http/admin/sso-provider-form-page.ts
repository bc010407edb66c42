import { checkbox, copyField, textArea } from '#src/http/admin/sso-fields.ts';
import { type MappingRow, MORE_MAPPING, mappingRows } from '#src/http/admin/sso-provider-form.ts';
import { inputsOf, type ProviderInput, STRATEGY_LABELS } from '#src/http/admin/sso-provider-inputs.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import { optionsOf, ROLE_LABELS } from '#src/http/web/labels.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { table } from '#src/http/web/markup.ts';
import { PRESETS, type Preset } from '#src/sso/providers/presets.ts';
import { type Provider, STRATEGIES } from '#src/sso/providers/provider.ts';
import { ROLES } from '#src/users/role.ts';

const LIST = '/admin/sso_providers';

interface StartPage {
  values: Fields;
  problems: Problem[] | undefined;
}

/** The first step: what kind of provider, and its name, which is part of the addresses the second one shows. */
export function newProviderPage({ values, problems }: StartPage): Page {
  const presets = Object.entries(PRESETS).map(([value, { title }]) => ({ value, text: title }));
  return {
    title: 'Add an identity provider',
    problems,
    body: html`<p>Step 1 of 2. Choose a well-known provider, or what kind yours is.</p>
<form class="stack" method="get" action="${LIST}/new">
${selectField({
  name: 'preset',
  label: 'Well-known provider',
  options: [{ value: '', text: 'Another one' }, ...presets],
  value: values.get('preset'),
})}
${selectField({
  name: 'strategy',
  label: 'Protocol, for another one',
  options: STRATEGIES.map((strategy) => ({ value: strategy, text: STRATEGY_LABELS[strategy] })),
  value: values.get('strategy'),
})}
${inputField({
  name: 'name',
  label: 'Name',
  hint: 'Part of the callback address: lower-case letters, digits, _ and -. Empty: the name of the well-known provider.',
  value: values.get('name'),
  autocomplete: 'off',
  problems,
})}
<div class="actions"><button>Continue</button><a class="button quiet" href="${LIST}">Cancel</a></div>
</form>`,
  };
}

interface FormPage {
  strategy: Provider['strategy'];
  /** What the inputs hold; secrets are not shown even when they are there. */
  values: Fields;
  /** Names of the secrets that are stored. */
  storedSecrets: readonly string[];
  /** Names of those that are stored and cannot be read. */
  lostSecrets: readonly string[];
  urls: Readonly<Record<string, string>>;
  token: Html;
  problems: Problem[] | undefined;
  preset?: Preset | undefined;
  /** Undefined for a new provider. */
  existing?: { name: string; version: string } | undefined;
  /** What only this kind of provider has, before its settings. */
  above?: Html | false | undefined;
  /** Whether to offer saving what shuts out linked users. */
  mayInsist?: boolean | undefined;
}

/** All fields of a provider. */
export function providerFormPage(page: FormPage): Page {
  const { strategy, values, urls, token, existing, problems, preset } = page;
  const action = existing ? `${LIST}/${existing.name}/edit` : LIST;
  return {
    title: existing ? `Identity provider ${existing.name}` : 'Add an identity provider',
    problems,
    body: html`<p><a href="${LIST}">All identity providers</a></p>
${!existing && html`<p>Step 2 of 2. ${STRATEGY_LABELS[strategy]}.</p>`}
${preset && html`<p>${preset.title}: ${preset.console}.${preset.note && ` ${preset.note}`}</p>`}
<h2>Register with the provider</h2>
<div>${Object.entries(urls).map(([id, value]) => copyField({ id: `our_${id}`, label: URL_LABELS[id] ?? id, value }))}</div>
${page.above}
<h2>Settings</h2>
<form class="stack wide" id="settings" method="post" action="${action}">${token}
${existing ? versionField(existing.version) : fixedFields(page)}
${existing ? nameField(values, problems) : checkbox({ name: 'enabled', label: 'Show it on the login page', isChecked: values.get('enabled') !== 'false' })}
${inputsOf(strategy).map((input) => field(input, page))}
${mappingEditor(values, problems)}
${
  strategy !== 'oauth2' &&
  checkbox({
    name: 'skip_verify',
    label: 'Save without checking',
    isChecked: values.has('skip_verify'),
    hint: 'Otherwise the provider is asked whether a new issuer or metadata URL is what it should be.',
  })
}
${
  page.mayInsist &&
  checkbox({
    name: 'force_linked',
    label: 'Save it although it shuts out users who are linked',
    isChecked: false,
  })
}
<div class="actions"><button>${existing ? 'Save' : 'Add the provider'}</button><a class="button quiet" href="${LIST}">Cancel</a></div>
</form>`,
  };
}

const URL_LABELS: Readonly<Record<string, string>> = {
  callback_url: 'Callback address',
  entity_id: 'Our entity ID',
  metadata_url: 'Our metadata',
  logout_url: 'Our logout address',
  backchannel_logout_url: 'Back-channel logout address',
  post_logout_redirect_url: 'Where people return after a sign-out',
};

function versionField(version: string): Html {
  return html`<input type="hidden" name="version" value="${version}">`;
}

function fixedFields({ strategy, values }: FormPage): Html {
  return html`<input type="hidden" name="strategy" value="${strategy}">
<input type="hidden" name="preset" value="${values.get('preset') ?? ''}">
<div class="field"><label for="name">Name</label>
<input id="name" name="name" type="text" value="${values.get('name') ?? ''}" readonly></div>`;
}

function nameField(values: Fields, problems: Problem[] | undefined): Html {
  return inputField({
    name: 'name',
    label: 'Name',
    hint: 'Another name means another callback address, to be registered with the provider.',
    value: values.get('name'),
    autocomplete: 'off',
    required: true,
    problems,
  });
}

function field({ name, label, hint, kind, required, options }: ProviderInput, page: FormPage): Html {
  const { values, problems } = page;
  const value = values.get(name);
  switch (kind) {
    case 'flag':
      return checkbox({ name, label, hint, isChecked: value === 'true' });
    case 'choice':
      return selectField({ name, label, options: withCurrent(options ?? [], value), value });
    case 'block':
      return textArea({ name, label, hint, value, problems });
    case 'secret_block':
      return textArea({ name, label, hint: secretHint(name, page), value: undefined, problems });
    case 'secret':
      return inputField({
        name,
        label,
        type: 'password',
        hint: secretHint(name, page),
        autocomplete: 'new-password',
        problems,
      });
    case 'text':
      break;
  }
  return inputField({
    name,
    label,
    hint: withExample(name, hint, page),
    value,
    autocomplete: 'off',
    required: required ?? false,
    problems,
  });
}

/** What is none of the choices stays, until another is chosen. */
function withCurrent(options: NonNullable<ProviderInput['options']>, value = '') {
  return options.some((option) => option.value === value) || value === ''
    ? options
    : [{ value, text: value }, ...options];
}

function secretHint(name: string, { storedSecrets, lostSecrets, problems }: FormPage): string {
  if (lostSecrets.includes(name)) return 'What is stored cannot be read: type it again.';
  if (storedSecrets.includes(name)) return 'Set. Leave empty to keep it; it is never shown.';
  return problems && problems.length > 0
    ? 'Not set. What was typed is not shown again: type it once more.'
    : 'Not set. Stored encrypted, and never shown.';
}

function withExample(name: string, hint: string | undefined, { preset }: FormPage): string | undefined {
  if (name !== 'issuer' || preset?.issuerExample === undefined) return hint;
  return `Such as ${preset.issuerExample}. ${hint ?? ''}`;
}

const EMPTY_ROWS = 3;
const EMPTY: MappingRow = { group: '', role: 'member', isRemoved: false };

function mappingEditor(values: Fields, problems: Problem[] | undefined): Html {
  const rows = [...mappingRows(values), ...Array.from({ length: EMPTY_ROWS }, () => EMPTY)];
  return html`<h2>Role mapping</h2>
<p class="hint">At every sign-in the highest role of all groups that match is given. Upper and lower case count. Nobody's role is changed while there are no rules.</p>
${table({
  caption: 'Groups and their roles. Three more rows appear after saving.',
  headings: ['Group', 'Role', 'Remove'],
  rows: rows.map((row, n) => mappingRow(row, n, problems)),
})}
${textArea({
  name: MORE_MAPPING,
  label: 'Other rules (JSON)',
  hint: 'conditions: [{"attribute", "value", "groups", "role"}], hierarchy: {"admin": ["member"]}, custom_mappings: {"attribute": "profile.name"}',
  value: values.get(MORE_MAPPING),
  problems,
})}`;
}

function mappingRow(
  { group, role, isRemoved }: MappingRow,
  n: number,
  problems: Problem[] | undefined,
): Html {
  const wrong = (name: string) => problems?.some(({ field }) => field === name) && html` aria-invalid="true"`;
  const [groupName, roleName] = [`mapping_group_${n}`, `mapping_role_${n}`];
  return html`<tr>
<td><input id="${groupName}" name="${groupName}" type="text" aria-label="Group ${n + 1}" autocomplete="off" value="${group}"${wrong(groupName)}></td>
<td><select id="${roleName}" name="${roleName}" aria-label="Role of group ${n + 1}"${wrong(roleName)}>${roleOptions(role)}</select></td>
<td>${group !== '' && html`<input name="mapping_remove_${n}" type="checkbox" value="true" aria-label="Remove group ${n + 1}"${isRemoved && html` checked`}>`}</td>
</tr>
`;
}

/** A role that is none stays visible, so that somebody sees what was refused. */
function roleOptions(role: string): Html[] {
  const known = optionsOf(ROLE_LABELS);
  const all = ROLES.some((each) => each === role) ? known : [{ value: role, text: role }, ...known];
  return all.map(
    ({ value, text }) => html`<option value="${value}"${value === role && html` selected`}>${text}</option>`,
  );
}
