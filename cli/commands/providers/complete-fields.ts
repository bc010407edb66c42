import { readMetadataFile } from '#cli/commands/providers/metadata.ts';
import { readFieldFile } from '#cli/commands/providers/secret-file.ts';
import { askChoice, askText, readSecret } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { LASTING_FORMATS } from '#src/sso/providers/parse-name-id-format.ts';
import { PRESETS, type Preset, presetFields } from '#src/sso/providers/presets.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { providerUrls } from '#src/sso/providers/provider-urls.ts';

interface Need {
  field: string;
  flag: string;
  question: string;
  /** The answer is a file with the field. */
  isFile?: true;
}

const CLIENT_ID: Need = { field: 'client_id', flag: '--client-id', question: 'Client id' };
const CLIENT_SECRET: Need = {
  field: 'client_secret',
  flag: '--client-secret-file',
  question: 'Client secret',
};

/** What each kind of provider cannot do without. */
const NEEDS: Readonly<Record<Provider['strategy'], readonly Need[]>> = {
  openid_connect: [{ field: 'issuer', flag: '--issuer', question: 'Issuer URL' }, CLIENT_ID],
  oauth2: [
    { field: 'authorization_url', flag: '--authorization-url', question: 'Authorization URL' },
    { field: 'token_url', flag: '--token-url', question: 'Token URL' },
    { field: 'userinfo_url', flag: '--userinfo-url', question: 'User info URL' },
    CLIENT_ID,
    CLIENT_SECRET,
  ],
  saml: [
    { field: 'sso_url', flag: '--sso-url', question: 'Single sign-on URL' },
    { field: 'entity_id', flag: '--entity-id', question: 'Entity id of the provider' },
    {
      field: 'certificate',
      flag: '--certificate-file',
      question: 'File with the certificate of the provider',
      isFile: true,
    },
  ],
};

/**
 * The fields with everything that is missing asked for on a terminal. Where nobody can be asked, one usage error names
 * all the flags.
 */
export async function completeFields(
  host: Host,
  given: Record<string, unknown>,
  presetName?: string,
): Promise<Record<string, unknown>> {
  const asks = host.io.isInteractive;
  const chosen = presetName ?? (given.strategy === undefined && asks ? await choosePreset(host) : '');
  const known = presetFields(chosen);
  const fields: Record<string, unknown> = { ...(known ?? (chosen ? { strategy: chosen } : {})), ...given };
  const needs = needsOf(fields.strategy, known !== undefined).filter(({ field }) => !isSaid(fields, field));
  if (!asks) {
    const missing = [
      ...(fields.strategy === undefined ? ['--strategy (or --preset)'] : []),
      ...(fields.name === undefined ? ['--name'] : []),
      ...flagsOf(needs),
    ];
    if (missing.length === 0) return fields;
    throw new UsageError(
      missing.length === 1 ? `${missing[0]} is required` : `these are required: ${missing.join(', ')}`,
      "'financectl providers create --help' shows how it is used.",
    );
  }
  return askFor(host, fields, { needs, preset: known && PRESETS[chosen] });
}

/** Metadata says all that SAML needs. */
function flagsOf(needs: readonly Need[]): string[] {
  const flags = needs.map(({ flag }) => flag);
  const isAll = needs.length === NEEDS.saml.length && needs.every((need) => NEEDS.saml.includes(need));
  return isAll ? [`--metadata-url or --metadata-file (or all of ${flags.join(' ')})`] : flags;
}

interface Asking {
  needs: readonly Need[];
  preset: Preset | undefined;
}

async function askFor(host: Host, fields: Record<string, unknown>, { needs, preset }: Asking) {
  const { io } = host;
  const answers: Record<string, unknown> = { ...fields };
  answers.name ??= await askText(host, 'Name, part of the callback address, lower case', '--name');
  const isSaml = answers.strategy === 'saml';
  const id = String(answers.id ?? answers.name);
  const urls = providerUrls(
    { id, name: String(answers.name), strategy: String(answers.strategy) },
    host.config().http.appUrl,
  );
  if (preset) say(io, `Where to set it up: ${preset.console}`);
  for (const [what, url] of Object.entries(urls))
    say(io, `Enter there as ${what.replaceAll('_', ' ')}: ${url}`);

  if (isSaml && needs.length === NEEDS.saml.length) await askForMetadata(host, answers, preset);
  const isByHand = isSaml && !isSaid(answers, 'sso_url');
  for (const { field, flag, question, isFile } of needs) {
    if (field === 'client_secret' || isSaid(answers, field)) continue;
    const example = field === 'issuer' && preset?.issuerExample ? `, such as ${preset.issuerExample}` : '';
    const answer = await askText(host, `${question}${example}`, flag);
    answers[field] = isFile && answer !== '' ? await readFieldFile(host, answer, false) : answer;
  }
  if (isByHand) await askForNames(host, answers);
  if (!isSaml)
    answers.client_secret ??= await readSecret(host, 'Client secret', '--client-secret-file or -stdin');
  return answers;
}

/** Where all the rest may come from; an empty answer leaves it to be asked for. */
async function askForMetadata(
  host: Host,
  answers: Record<string, unknown>,
  preset: Preset | undefined,
): Promise<void> {
  const example = preset?.metadataExample ? `, such as ${preset.metadataExample}` : '';
  const question = `Metadata of the provider, URL or file${example}; empty: by hand`;
  const answer = await askText(host, question, '--metadata-url or --metadata-file');
  if (/^https?:/i.test(answer)) answers.metadata_url = answer;
  else if (answer !== '') Object.assign(answers, await readMetadataFile(host, answer, answers.entity_id));
}

/** How the provider is to name people, and what is not asked. */
async function askForNames(host: Host, answers: Record<string, unknown>): Promise<void> {
  answers.name_id_format ??= await askChoice(host, 'NameID format?', {
    flag: '--name-id-format',
    choices: Object.entries(LASTING_FORMATS).map(([name, value]) => ({ name, value })),
  });
  say(host.io, `Email and names are read from attributes of the usual names; others: ${ATTRIBUTE_FLAGS}`);
}

const ATTRIBUTE_FLAGS = '--email-attribute, --first-name-attribute, --last-name-attribute';

/** By itself, or by the metadata that will be read. */
function isSaid(fields: Readonly<Record<string, unknown>>, field: string): boolean {
  return fields[field] !== undefined || fields.metadata_url !== undefined;
}

function needsOf(strategy: unknown, isPreset: boolean): readonly Need[] {
  if (strategy !== 'openid_connect' && strategy !== 'oauth2' && strategy !== 'saml') return [];
  return isPreset && strategy === 'openid_connect'
    ? [...NEEDS.openid_connect, CLIENT_SECRET]
    : NEEDS[strategy];
}

async function choosePreset(host: Host): Promise<string> {
  const choices = [
    ...Object.entries(PRESETS).map(([value, { title }]) => ({ name: title, value })),
    { name: 'Another one with OpenID Connect', value: 'openid_connect' },
    { name: 'Another one with OAuth 2.0', value: 'oauth2' },
    { name: 'Another one with SAML 2.0', value: 'saml' },
  ];
  return askChoice(host, 'Which identity provider?', { flag: '--preset or --strategy', choices });
}
