import type { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '#src/kernel/config.ts';

/** A place in a store, and how to reach it. */
export interface Bucket {
  client: S3Client;
  sdk: typeof import('@aws-sdk/client-s3');
  settings: Config['audit']['bucket'];
  name: string;
  /** `s3://bucket/prefix`, without a slash at its end. */
  url: string;
  readonly keyOf: (path: string) => string;
  /** Length of what keys have in front of the path. */
  prefix: string;
}
