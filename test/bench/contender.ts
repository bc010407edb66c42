import type pg from 'pg';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { cpuClock } from '#test/bench/cpu.ts';
import type { LoadClient, ServerProcess } from '#test/bench/processes.ts';
import type { Exchange } from '#test/bench/requests.ts';

/** One measured stretch of load. */
export interface Sample {
  /** Requests per second. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds per request of server and database together; undefined where it cannot be known. */
  cpu: number | undefined;
}

interface Load {
  operation: string;
  connections: number;
  milliseconds: number;
}

/** A server under load. */
export interface Contender {
  measure(load: Load): Promise<Sample>;
}

export interface ContenderParts {
  name: string;
  server: ServerProcess;
  /** By the name of the operation. */
  exchanges: Record<string, Exchange>;
  client: LoadClient;
  monitor: pg.Client;
  applicationName: string;
  database: string;
}

/** Before each stretch: opens the server's connections, which then have their statements prepared. */
const SETTLE_MS = 250;

export function createContender(parts: ContenderParts): Contender {
  const { name, server, exchanges, client, monitor } = parts;
  const run = async ({ operation, ...load }: Load) => {
    const exchange = exchanges[operation];
    if (!exchange) throw new Error(`${name}: nothing to send for ${operation}`);
    const result = await client.run({ ...load, ...exchange, port: server.port });
    const { failures, requests } = result;
    if (failures > 0) {
      throw new WrongAnswer(
        `${name}, ${operation}: ${failures} of ${requests} answers were not ${exchange.status}`,
      );
    }
    return result;
  };

  return {
    measure: async (load) => {
      await run({ ...load, milliseconds: SETTLE_MS });
      const clock = await cpuClock(monitor, { ...parts, pid: server.pid });
      const before = await clock?.();
      const { requests, seconds, p50, p99 } = await run(load);
      const after = await clock?.();
      const cpu = before === undefined || after === undefined ? undefined : (after - before) / requests;
      return { throughput: requests / seconds, p50, p99, cpu };
    },
  };
}
