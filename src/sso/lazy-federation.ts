import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Federation } from '#src/sso/federation.ts';
import { createProviderAccess, type ProviderAccess } from '#src/sso/provider-access.ts';
import { listUnusable, openProviderSource } from '#src/sso/providers/provider-source.ts';

export interface LazyFederation {
  /** Throws `configuration_invalid` when the file of the providers or the certificates cannot be read. */
  open(): Promise<Federation>;
  close(): void;
}

/** A federation that is opened by the first who needs it, and then kept; what fails is tried again by the next. */
export function lazyFederation(
  runtime: Runtime,
  { loginTimeout }: { loginTimeout?: number | undefined } = {},
): LazyFederation {
  const { caFile, sso } = runtime.config;
  const { allowPrivateNetworks } = sso;
  let access: ProviderAccess | undefined;
  let opening: Promise<Federation> | undefined;

  const open = async (): Promise<Federation> => {
    const source = await openProviderSource(runtime);
    if (runtime.config.sso.source === 'yaml') {
      for (const { name, problem } of listUnusable(await source.list()))
        runtime.log.warn({ provider: name, reason: problem }, 'provider_unusable');
    }
    access ??= createProviderAccess({
      allowPrivateNetworks,
      caFile,
      loginTimeout,
      database: sqlOn(runtime.pool),
      now: () => runtime.now(),
    });
    return { runtime, source, access };
  };
  return {
    open: () => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    close: () => access?.close(),
  };
}
