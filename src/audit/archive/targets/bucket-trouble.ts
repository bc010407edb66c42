import { AppError } from '#src/kernel/errors.ts';

interface Trouble {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  $metadata?: { httpStatusCode?: unknown };
}

const CREDENTIALS = new Set([
  'CredentialsProviderError',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
]);

/** The store's own sentence is worth showing for these: it names a setting, and no credential. */
const TELLING = new Set(['InvalidRequest', 'InvalidArgument', 'InvalidBucketName', 'KMS.NotFoundException']);

const TLS = /CERT|TLS|SSL/;

/** An error of the S3 client as one that says what to do; never with a credential in it. */
export function bucketTrouble(bucket: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { name, code, status, message } = factsOf(error);
  const word = name === 'Error' || name === '' ? code : name;
  const unusable = (problem: string, hint: string) =>
    new AppError('configuration_invalid', `${bucket} cannot be used: ${problem}`, { hint, cause: error });

  if (CREDENTIALS.has(name)) {
    return unusable(`the store does not accept us, or nothing says who we are (${name})`, SETTINGS_HINT);
  }
  if (name === 'NoSuchBucket')
    return unusable('there is no such bucket', 'Make it, or correct AUDIT_ARCHIVE_URL.');
  if (status === 404) return new AppError('not_found', `not in ${bucket}`, { cause: error });
  if (status === 403) return unusable(`access is denied (${word})`, PERMISSIONS_HINT);
  if (status === 301 || status === 307) {
    return unusable('the bucket is in another region', 'Set AUDIT_ARCHIVE_S3_REGION.');
  }
  if (TLS.test(code)) {
    return unusable(`its certificate is not trusted (${code})`, 'SSL_CA_FILE names further authorities.');
  }
  if (status >= 400 && status < 500 && ![408, 409, 429].includes(status)) {
    return unusable(TELLING.has(name) ? `${name}: ${message}` : name || String(status), SETTINGS_HINT);
  }
  return new AppError(
    'service_unavailable',
    `${bucket} cannot be reached now (${word || status || 'no answer'})`,
    {
      hint: 'Check the store and the way to it, then run it again.',
      cause: error,
    },
  );
}

const SETTINGS_HINT = 'Check the AUDIT_ARCHIVE_S3_ settings.';
const PERMISSIONS_HINT =
  'The key needs s3:PutObject, GetObject, DeleteObject and ListBucket there, and for object lock PutObjectRetention.';

export function isMissing(error: unknown): boolean {
  const { name, status } = factsOf(error);
  return status === 404 && name !== 'NoSuchBucket';
}

/** 0 without an answer. */
export function statusOf(error: unknown): number {
  return factsOf(error).status;
}

function factsOf(error: unknown): { name: string; code: string; status: number; message: string } {
  const { name, code, message, $metadata }: Trouble =
    typeof error === 'object' && error !== null ? error : {};
  const status = $metadata?.httpStatusCode;
  return {
    name: typeof name === 'string' ? name : '',
    code: typeof code === 'string' ? code : '',
    status: typeof status === 'number' ? status : 0,
    message: typeof message === 'string' ? message.slice(0, 200) : '',
  };
}
