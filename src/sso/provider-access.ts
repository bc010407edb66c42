import type { Sql } from '#src/kernel/sql-on.ts';
import { trustedAuthorities } from '#src/kernel/trusted-authorities.ts';
import { DiscoveryCache } from '#src/sso/connectors/discovery-cache.ts';
import { createOutbound, type Outbound, type OutboundOptions } from '#src/sso/outbound/outbound.ts';
import { createResponsePool, type ResponsePool } from '#src/sso/saml/login/response-pool.ts';
import { MetadataCache } from '#src/sso/saml/metadata/metadata-cache.ts';

/** What connectors share as long as the process lives. */
export interface ProviderAccess {
  readonly outbound: Outbound;
  readonly discoveries: DiscoveryCache;
  readonly metadata: MetadataCache;
  readonly responses: ResponsePool;
  /** Milliseconds for everything one login asks a provider. */
  readonly loginTimeout: number;
  now(): Date;
  close(): void;
}

export interface ProviderAccessOptions extends Omit<OutboundOptions, 'authorities'> {
  caFile?: string | undefined;
  loginTimeout?: number | undefined;
  /** Undefined: metadata is kept in memory alone. */
  database?: Sql | undefined;
  now(): Date;
}

const LOGIN_TIMEOUT = 10_000;

/** Throws `configuration_invalid` when SSL_CA_FILE cannot be read or holds no certificate. */
export function createProviderAccess({
  caFile,
  database,
  ...options
}: ProviderAccessOptions): ProviderAccess {
  const outbound = createOutbound({ ...options, authorities: trustedAuthorities(caFile) });
  const loginTimeout = options.loginTimeout ?? LOGIN_TIMEOUT;
  const now = () => options.now();
  const responses = createResponsePool();
  return {
    outbound,
    discoveries: new DiscoveryCache(outbound, now),
    metadata: new MetadataCache({ outbound, database, timeout: loginTimeout, now }),
    responses,
    loginTimeout,
    now,
    close: () => {
      outbound.close();
      responses.close();
    },
  };
}
