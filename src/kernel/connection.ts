import { readFileSync } from 'node:fs';
import { type ConnectionOptions, checkServerIdentity, getCACertificates } from 'node:tls';
import type { ClientConfig } from 'pg';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * What node-postgres needs to reach the database at `url`, with sessions that have these settings besides those
 * in the URL's own `options`. They travel in one parameter, so that a pooler needs to let only `options` through.
 */
export function connectionTo(url: string, settings: Record<string, string | number> = {}): ClientConfig {
  const parsed = new URL(url);
  const ssl = readTls(parsed);
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const options = [...own, parsed.searchParams.get('options') ?? ''].join(' ').trim();
  // What node-postgres reads from the text would win over everything beside it.
  parsed.searchParams.delete('options');
  return {
    connectionString: parsed.href,
    ...(options !== '' && { options }),
    ...(ssl !== undefined && { ssl }),
  };
}

/**
 * `sslmode` as libpq documents it; node-postgres alone checks no address that is a number, and takes an unknown
 * mode for another. It cannot fall back, so `allow` and `prefer` insist on TLS too. Without `sslrootcert`,
 * `verify-full` trusts the authorities Node trusts.
 */
function readTls(url: URL): ConnectionOptions | false | undefined {
  const take = (name: string) => {
    const value = url.searchParams.get(name) || undefined;
    url.searchParams.delete(name);
    return value;
  };
  const mode = take('sslmode');
  const [rootCert, cert, key] = [take('sslrootcert'), take('sslcert'), take('sslkey')];
  if (mode !== undefined && !SSL_MODES.includes(mode)) {
    throw refused(`sslmode must be one of ${SSL_MODES.join(', ')}, not "${mode}"`);
  }
  if (mode === 'disable') return false;
  if (mode === undefined && !rootCert && !cert && !key) return undefined;
  if (mode === 'verify-ca' && !rootCert) throw refused('sslmode=verify-ca needs sslrootcert');

  const host = (url.searchParams.get('host') ?? url.hostname).replace(/^\[(.+)\]$/, '$1');
  const byName = mode === undefined || mode === 'verify-full';
  return {
    ...(rootCert && {
      ca: rootCert === 'system' ? getCACertificates('system') : read('sslrootcert', rootCert),
    }),
    ...(cert && { cert: read('sslcert', cert) }),
    ...(key && { key: read('sslkey', key) }),
    rejectUnauthorized: byName || mode === 'verify-ca' || (mode === 'require' && rootCert !== undefined),
    checkServerIdentity: (_name, peer) => (byName ? checkServerIdentity(host, peer) : undefined),
  };
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw refused(`${name} cannot be read (${errorCode(error)}): ${file}`);
  }
}

function refused(problem: string): AppError {
  return new AppError('configuration_invalid', `The database URL cannot be used: ${problem}`, {
    hint: 'Correct DATABASE_URL or MIGRATION_DATABASE_URL.',
  });
}
