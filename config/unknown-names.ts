import { readFileSync } from 'node:fs';
import type { Environment } from '#config/env.ts';
import { SETTINGS, type Setting } from '#config/settings.ts';
import { STANDARD_PROVIDERS_FILE } from '#config/standard-file.ts';
import { guess, similarTo } from '#src/kernel/did-you-mean.ts';

export interface UnknownName {
  name: string;
  /** Whether it is a setting but for a letter or two, and does not only begin like one. */
  isSlip: boolean;
  /** For people. */
  text: string;
}

const KNOWN = Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { secret }]) =>
  secret ? [name, `${name}_FILE`] : [name],
);
const NAMES = new Set(KNOWN);
/** How nobody's names begin but ours, and those of Sure that mean the same. */
const OURS =
  /^(AUDIT|AUTH|SSO|METRICS|SESSION_(IDLE|LIFETIME)|ACTIVE_RECORD_ENCRYPTION|EMBEDDED_DATABASE|API_RATE_LIMIT)_/;
/** Shorter names are taken for a setting when one letter differs, not two: HOME and PGHOST are not HOST. */
const LONG = 8;

/** Names in the environment that look like settings and are none. What the providers' file refers to is in order. */
export function unknownNames(env: Environment): UnknownName[] {
  const unknown = Object.entries(env)
    .filter(([name, value]) => value?.trim() && !NAMES.has(name))
    .map(([name]) => ({ name, similar: similarTo(name, alike(name), name.length < LONG ? 1 : 2) }))
    .filter(({ name, similar }) => similar.length > 0 || OURS.test(name));
  if (unknown.length === 0) return [];

  const providers = readProviders(env);
  return unknown
    .filter(({ name }) => !providers.includes(`\${${name.replace(/_FILE$/, '')}`))
    .map(({ name, similar }) => ({
      name,
      isSlip: similar.length > 0,
      text: [`${name} is no setting and does nothing.`, guess(similar)].filter(Boolean).join(' '),
    }));
}

/** Those that begin or end with the same letters: this runs at every start, and others take longer to compare. */
function alike(name: string): string[] {
  return KNOWN.filter((known) => known.startsWith(name.slice(0, 2)) || known.endsWith(name.slice(-2)));
}

/** What cannot be read is complained of where it is needed. */
function readProviders(env: Environment): string {
  try {
    return readFileSync(env.AUTH_PROVIDERS_FILE?.trim() || STANDARD_PROVIDERS_FILE, 'utf8');
  } catch {
    return '';
  }
}
