import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Config } from '#src/kernel/config.ts';
import { trustedAuthorities } from '#src/kernel/trusted-authorities.ts';

const CONNECT_MS = 5_000;
/** Without a single byte. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 3;
/** Where neither the settings nor the SDK's own sources name a region; other stores than AWS mostly ignore it. */
const SOME_REGION = 'us-east-1';

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/** A client for the store of the settings. The SDK is loaded here and nowhere else. */
export async function createBucketClient({ audit, caFile }: Config): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  const { endpoint, region, pathStyle, accessKeyId, secretAccessKey } = audit.bucket;
  const ca = trustedAuthorities(caFile);
  const settings: S3ClientConfig = {
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Checksums that only AWS knows make other stores refuse what they are sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // What it would write to the terminal is told by the errors.
    logger: SILENT,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      ...(ca && { httpsAgent: { ca } }),
    },
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
  };
  const client = new S3Client(settings);
  try {
    await client.config.region();
    return client;
  } catch {
    client.destroy();
    return new S3Client({ ...settings, region: SOME_REGION });
  }
}
