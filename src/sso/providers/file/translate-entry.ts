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

/** An entry's fields under our names; a provider that Sure knows by its strategy becomes what its preset says. */
export function translateEntry(fields: ReadonlyMap<string, Resolved>): Map<string, Resolved> {
  const translated = new Map<string, Resolved>();
  for (const [name, field] of fields) {
    if (!IGNORED.has(name)) translated.set(RENAMED[name] ?? name, field);
  }
  const strategy = translated.get('strategy');
  const preset = strategy && presetFields(PRESET_OF[String(strategy.value)] ?? '');
  if (!preset) return translated;
  for (const [name, value] of Object.entries(preset)) {
    const own = translated.get(name);
    const isOwn = own !== undefined && own.value !== undefined && own.value !== '' && name !== 'strategy';
    if (!isOwn) translated.set(name, { ...strategy, value });
  }
  return translated;
}
