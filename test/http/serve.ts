import type { Server } from 'node:http';
import { pino } from 'pino';
import { loadConfig } from '#config/env.ts';
import { type App, type AppOptions, createApp } from '#src/http/app.ts';
import { createHttpServer } from '#src/http/http-server.ts';
import { listen } from '#src/http/listen.ts';
import { createLog, type Log } from '#src/kernel/log.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';
import { expectContract } from '#test/http/contract.ts';
import { SECRET_KEY_BASE } from '#test/support/database.ts';

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Held against the contract first, then looked into freely. */
  body: ReturnType<JSON['parse']>;
}

export interface Served extends AsyncDisposable {
  app: App;
  server: Server;
  port: number;
  url: string;
  /** Every JSON answer under /api and /oauth is held against the served description. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
}

/** The application on a free port, stopped at the end of its scope. */
export async function serve(runtime: Runtime, options: AppOptions = {}): Promise<Served> {
  const app = createApp(runtime, options);
  const { servers, port } = await listen(() => createHttpServer(app.handle), '127.0.0.1', 0);
  const [server] = servers;
  if (!server) throw new Error('nothing listens');
  const url = `http://127.0.0.1:${port}`;

  return {
    app,
    server,
    port,
    url,
    ask: async (path, init = {}) => {
      const response = await fetch(url + path, { redirect: 'manual', ...init });
      const text = await response.text();
      const isJson = response.headers.get('content-type') === 'application/json; charset=utf-8';
      const body = isJson && text !== '' ? JSON.parse(text) : undefined;
      if (isJson && text !== '' && /^\/(api|oauth)/.test(path)) {
        expectContract(init.method ?? 'GET', path, response.status, body);
      }
      return { status: response.status, headers: response.headers, text, body };
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await app.close();
    },
  };
}

/** A runtime whose database is down: nothing listens on port 1. */
export async function withoutDatabase(
  env: Record<string, string> = {},
  log = createLog('silent', 2),
): Promise<Runtime> {
  const config = loadConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    SECRET_KEY_BASE,
    ...env,
  });
  return createRuntime(config, { log, statementTimeout: 8_000, migrateFirst: false });
}

/** A log that keeps its lines. */
export function recordingLog(level: string): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level, messageKey: 'event', formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return { log, lines };
}

/** The same runtime with another answer to every statement. */
export function withQuery(runtime: Runtime, query: (...statement: unknown[]) => Promise<unknown>): Runtime {
  const pool = new Proxy(runtime.pool, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  });
  return { ...runtime, pool };
}
