import type { Problem } from '#src/sso/providers/field-reader.ts';
import type { Resolved } from '#src/sso/providers/file/walk-yaml.ts';
import { presetFields } from '#src/sso/providers/presets.ts';

/** Sure's names of settings → ours. */
const RENAMED: Readonly<Record<string, string>> = {
  certificates: 'certificate',
  idp_metadata_url: 'metadata_url',
  idp_sso_url: 'sso_url',
  idp_slo_url: 'logout_url',
  idp_certificate: 'certificate',
  idp_entity_id: 'entity_id',
};

/** What Sure keeps beside, and we have no use for. */
const IGNORED = new Set(['icon', 'prompt']);

/** Strategies of Sure that are one provider each. */
const PRESET_OF: Readonly<Record<string, string>> = { google_oauth2: 'google', github: 'github' };

/**
 * A problem in the words of its entry: the names of fields as they are written there, and as Sure has them where the
 * entry speaks of a SAML provider as Sure does.
 */
export function inWordsOf(fields: ReadonlyMap<string, Resolved>, { field, message }: Problem): string {
  const isForSure = [...fields.values()].some(({ writtenAs }) => writtenAs?.startsWith('idp_'));
  const nameOf = (name: string) => {
    const written = fields.get(name);
    return written ? (written.writtenAs ?? name) : (isForSure && SURE_NAMES[name]) || name;
  };
  // Names of one word are words like any other within a message.
  const text = message.replaceAll(/\b[a-z]+_[a-z_]+\b/g, nameOf);
  return `${nameOf(field)}: ${text}`;
}

const SURE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(RENAMED).flatMap(([name, field]) => (name.startsWith('idp_') ? [[field, name]] : [])),
);

/** What Sure keeps for all strategies, and what it would trust without being able to check it. */
function adaptSaml(fields: Map<string, Resolved>): void {
  fields.delete('redirect_uri');
  const fingerprint = fields.get(FINGERPRINT);
  fields.delete(FINGERPRINT);
  if (!hasValue(fingerprint) || ['certificate', 'metadata_url'].some((name) => hasValue(fields.get(name)))) {
    return;
  }
  const unset = fields.get('certificate')?.unset ?? [];
  const refused = { value: undefined, writtenAs: FINGERPRINT, problems: [NOT_ENOUGH] };
  fields.set('certificate', { ...fingerprint, unset, ...refused });
}

const FINGERPRINT = 'idp_cert_fingerprint';

const NOT_ENOUGH = 'a fingerprint alone cannot verify: give idp_certificate or idp_metadata_url';

function hasValue(field: Resolved | undefined): field is Resolved {
  return field !== undefined && field.value !== undefined && field.value !== '';
}

/** An entry's fields under our names; a provider that Sure knows by its strategy becomes what its preset says. */
export function translateEntry(fields: ReadonlyMap<string, Resolved>): Map<string, Resolved> {
  const translated = new Map<string, Resolved>();
  for (const [name, field] of fields) {
    const renamed = RENAMED[name];
    if (renamed !== undefined) translated.set(renamed, { ...field, writtenAs: name });
    else if (!IGNORED.has(name)) translated.set(name, field);
  }
  const strategy = translated.get('strategy');
  if (strategy?.value === 'saml') adaptSaml(translated);
  const preset = strategy && presetFields(PRESET_OF[String(strategy.value)] ?? '');
  if (!preset) return translated;
  for (const [name, value] of Object.entries(preset)) {
    const own = translated.get(name);
    if (!hasValue(own) || name === 'strategy') translated.set(name, { ...strategy, value });
  }
  return translated;
}
