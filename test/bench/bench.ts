import { join } from 'node:path';
import type pg from 'pg';
import { writeBareSettings } from '#test/bench/bare-settings.ts';
import { type Databases, openClient } from '#test/bench/databases.ts';
import { fillLedger, type Ledger, SMALL } from '#test/bench/fill-ledger.ts';
import { type LoadClient, startLoadClient } from '#test/bench/processes.ts';

export interface BenchOptions {
  quick: boolean;
  /** Transactions of the large ledger. */
  large: number;
}

/** A filled database. */
export interface Site {
  url: string;
  database: string;
  ledger: Ledger;
  /** Looks at the server's connections from outside. */
  monitor: pg.Client;
}

/** What sections share, each made when first asked for. */
export interface Bench {
  options: BenchOptions;
  cleanup: AsyncDisposableStack;
  databases: Databases;
  folder: string;
  small(): Promise<Site>;
  large(): Promise<Site>;
  /** Another small one, to write to. */
  imports(): Promise<Site>;
  client(): LoadClient;
  /** File of what the bare server is started with. */
  bareSettings(): Promise<string>;
  /** For whoever waits; results go elsewhere. */
  say(text: string): void;
}

interface BenchParts extends Pick<Bench, 'options' | 'cleanup' | 'databases' | 'folder' | 'say'> {}

export function createBench(parts: BenchParts): Bench {
  const { options, cleanup, databases, folder, say } = parts;

  const site = async (name: string, transactions: number): Promise<Site> => {
    say(`filling finance_bench_${name} with ${transactions.toLocaleString('en')} transactions`);
    const database = `finance_bench_${name}`;
    const url = await databases.create(database);
    const monitor = await openClient(url);
    cleanup.defer(() => monitor.end());
    return { url, database, monitor, ledger: await fillLedger(monitor, transactions) };
  };

  const large = once(() => site('large', options.large));
  return {
    ...parts,
    large,
    small: once(() => site('small', SMALL)),
    imports: once(() => site('imports', SMALL)),
    client: once(() => {
      const client = startLoadClient();
      cleanup.defer(() => client.stop());
      return client;
    }),
    bareSettings: once(async () => {
      const { url, ledger } = await large();
      const file = join(folder, 'bare.json');
      await writeBareSettings(url, ledger, file);
      return file;
    }),
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
