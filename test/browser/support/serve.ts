import { type App, createApp } from '#src/http/app.ts';
import { createHttpServer } from '#src/http/http-server.ts';
import { listen } from '#src/http/listen.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Harness } from '#test/support/database.ts';

export interface Site extends AsyncDisposable {
  /** As people type it, and as APP_URL says it. */
  url: string;
}

/** The application as people reach it on their own machine, with other settings if need be. */
export async function serveSite(harness: Harness, change: Partial<Config> = {}): Promise<Site> {
  const { runtime } = harness;
  let app: App | undefined;
  const { servers, port } = await listen(
    () => createHttpServer((req, res) => app?.handle(req, res)),
    'localhost',
    0,
  );
  const url = `http://localhost:${port}`;
  const http = { ...runtime.config.http, appUrl: url };
  app = createApp({ ...runtime, config: { ...runtime.config, ...change, http } });

  return {
    url,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await app?.close();
    },
  };
}
