import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

/**
 * The `ca` for TLS connections that trust the authorities of SSL_CA_FILE beside the usual ones, as PEM texts; undefined
 * without such a file, which means Node's own. Throws `configuration_invalid` when it cannot be read or holds no
 * certificate. The file is read at every call: ask once for each client that is made.
 */
export function trustedAuthorities(caFile: string | undefined): string[] | undefined {
  return caFile === undefined ? undefined : [...getCACertificates('default'), readAuthorities(caFile)];
}

function readAuthorities(caFile: string): string {
  let text: string;
  try {
    text = readFileSync(caFile, 'utf8');
  } catch (error) {
    throw unusable(`cannot be read (${errorCode(error)}): ${caFile}`, error);
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g);
  if (!blocks) throw unusable(`holds no PEM certificate: ${caFile}`);
  // TLS passes over what it cannot read, and then trusts one authority less than somebody meant.
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  if (damaged !== -1)
    throw unusable(`holds something that is no certificate: certificate ${damaged + 1} of ${caFile}`);
  return text;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

function unusable(problem: string, cause?: unknown): AppError {
  return new AppError('configuration_invalid', `SSL_CA_FILE ${problem}`, {
    hint: 'Name a file of PEM certificates there, or take the variable away.',
    cause,
  });
}
