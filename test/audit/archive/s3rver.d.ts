declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';

  export default class S3rver {
    constructor(options: {
      silent?: boolean;
      allowMismatchedSignatures?: boolean;
      directory?: string;
      vhostBuckets?: boolean;
      configureBuckets?: { name: string }[];
    });
    readonly logger: { exceptions: { unhandle(): void }; close(): void };
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }
}
