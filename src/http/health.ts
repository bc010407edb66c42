import { setTimeout as delay } from 'node:timers/promises';
import { Router } from '@koa/router';
import { readMigrationStatus } from '#src/database/migration-status.ts';
import type { Context, Lifecycle, State } from '#src/http/state.ts';
import type { Runtime } from '#src/kernel/work.ts';

const PATIENCE_MS = 1_000;
const KEPT_MS = 1_000;

interface Health {
  database: 'ok' | 'unreachable' | 'unknown';
  migrations: 'ok' | 'pending' | 'unknown';
}

const UNREACHABLE: Health = { database: 'unreachable', migrations: 'unknown' };
const UNASKED: Health = { database: 'unknown', migrations: 'unknown' };

/** For supervisors and load balancers. No key, and no line in the log for an answer that is as expected. */
export function healthRoutes(runtime: Runtime, lifecycle: Lifecycle): Router<State> {
  const check = createCheck(runtime);
  const router = new Router<State>({ sensitive: true, strict: true });

  // The process is alive; the database is not its fault.
  router.get('/up', (ctx) => answer(ctx, 200, { status: 'up' }));

  // The next request would be answered: database there, schema complete, not about to stop.
  router.get('/readyz', async (ctx) => {
    const { database, migrations } = lifecycle.draining ? UNASKED : await check();
    const details = { database, migrations, draining: lifecycle.draining };
    if (database === 'ok' && migrations === 'ok') return answer(ctx, 200, { status: 'ready', ...details });
    ctx.res.setHeader('Retry-After', '1');
    answer(ctx, 503, { error: 'service_unavailable', message: 'Not ready', details });
  });

  return router;
}

function answer(ctx: Context, status: number, body: object): void {
  ctx.state.probe = true;
  ctx.status = status;
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(body);
}

/** Asks the database at most once a second, and one question at a time, however many ask us. */
function createCheck({ pool }: Runtime): () => Promise<Health> {
  let asking: Promise<Health> | undefined;
  let kept = { health: UNREACHABLE, until: 0 };

  const ask = async (): Promise<Health> => {
    const health = await readMigrationStatus(pool).then(
      ({ pending }): Health => ({ database: 'ok', migrations: pending.length === 0 ? 'ok' : 'pending' }),
      () => UNREACHABLE,
    );
    kept = { health, until: performance.now() + KEPT_MS };
    asking = undefined;
    return health;
  };

  return async () => {
    if (performance.now() < kept.until) return kept.health;
    asking ??= ask();
    return Promise.race([asking, delay(PATIENCE_MS, UNREACHABLE, { ref: false })]);
  };
}
