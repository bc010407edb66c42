import type { Runtime } from '#src/kernel/work.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { ProviderSource } from '#src/sso/providers/provider-source.ts';

/** What signing in elsewhere needs as long as the process lives. */
export interface Federation {
  runtime: Runtime;
  source: ProviderSource;
  access: ProviderAccess;
}
