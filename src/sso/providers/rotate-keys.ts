import type { Place } from '#src/kernel/cipher.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { tokenPlace } from '#src/sso/identities/token-place.ts';
import { secretPlace } from '#src/sso/providers/seal-provider.ts';

/** How the stored secrets stand with the keys of now. */
export interface KeyReport {
  /** Encrypted with the key that encrypts today. */
  current: number;
  /** Encrypted with another key that is still there. */
  older: number;
  /** What cannot be decrypted, one sentence each. */
  unreadable: string[];
}

/** One encrypted value, where it is. */
interface Sealed {
  table: 'sso_providers' | 'identities';
  row: string;
  field: string;
  value: string;
}

const ALL = `
  select 'sso_providers' as table, p.id as row, s.key as field, s.value
    from sso_providers p cross join lateral jsonb_each_text(p.secrets) s
  union all
  select 'identities', i.id::text, t.field, t.value
    from identities i cross join lateral (values ('refresh_token', i.refresh_token), ('id_token', i.id_token))
      t (field, value)
    where t.value is not null`;

/** Tries to decrypt every stored secret. */
export async function checkKeys(work: Pick<Work, 'sql' | 'cipher'>): Promise<KeyReport> {
  const report: KeyReport = { current: 0, older: 0, unreadable: [] };
  for (const sealed of await work.sql<Sealed>(ALL)) {
    try {
      work.cipher.open(sealed.value, placeOf(sealed));
      if (work.cipher.isCurrent(sealed.value)) report.current += 1;
      else report.older += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.unreadable.push(error.message);
    }
  }
  return report;
}

/**
 * Encrypts with today's key what is encrypted with another, and answers with how many that were. Throws
 * `configuration_invalid` at the first secret that cannot be decrypted: then nothing is changed.
 */
export async function rotateKeys(work: Work): Promise<number> {
  await work.sql('lock table sso_providers, identities in share row exclusive mode');
  const outdated = (await work.sql<Sealed>(ALL)).filter(({ value }) => !work.cipher.isCurrent(value));
  for (const sealed of outdated) {
    const place = placeOf(sealed);
    const value = work.cipher.seal(work.cipher.open(sealed.value, place), place);
    await work.sql(UPDATES[sealed.field] ?? UPDATE_PROVIDER, [sealed.row, value, ...extra(sealed)]);
  }
  return outdated.length;
}

const UPDATES: Readonly<Record<string, string>> = {
  refresh_token: 'update identities set refresh_token = $2 where id = $1',
  id_token: 'update identities set id_token = $2 where id = $1',
};

const UPDATE_PROVIDER = `update sso_providers
  set secrets = jsonb_set(secrets, array[$3::text], to_jsonb($2::text)), version = version + 1 where id = $1`;

function extra({ table, field }: Sealed): string[] {
  return table === 'sso_providers' ? [field] : [];
}

function placeOf({ table, row, field }: Sealed): Place {
  return table === 'sso_providers' ? secretPlace(row, field) : tokenPlace(row, field);
}
