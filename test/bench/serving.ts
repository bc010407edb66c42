import type { Bench, Site } from '#test/bench/bench.ts';
import { compareAnswers } from '#test/bench/compare-answers.ts';
import { type Contender, type ContenderParts, createContender } from '#test/bench/contender.ts';
import type { Comparison, Rounds } from '#test/bench/duel.ts';
import { operationsOn } from '#test/bench/operations.ts';
import { type ServerProcess, startBare, startProduct } from '#test/bench/processes.ts';
import { askingByKey } from '#test/bench/requests.ts';
import type { Table } from '#test/bench/section.ts';

/** Product and bare server on the large ledger, known to give the same answers; stopped after the task. */
export async function withBothServers<Result>(
  bench: Bench,
  task: (servers: { contender: Contender; reference: Contender }) => Promise<Result>,
): Promise<Result> {
  const site = await bench.large();
  const settings = await bench.bareSettings();
  await using servers = new AsyncDisposableStack();
  const product = await serve(bench, servers, startProduct(site.url));
  const bare = await serve(bench, servers, startBare(settings));

  const { key } = site.ledger;
  const operations = operationsOn(site.ledger);
  const compared = await compareAnswers([product.port, bare.port], key, operations);
  bench.say(`${compared} answers of product and bare server are equal`);
  const exchanges = askingByKey(operations, key);
  // Awaited here, or the servers would be stopped first.
  return await task({
    contender: contenderOn(bench, site, product, { exchanges, applicationName: 'finance' }),
    reference: contenderOn(bench, site, bare, { exchanges, applicationName: 'bare' }),
  });
}

/** Stops the server at the end of `servers`, or when the bench is interrupted. */
export async function serve(
  { cleanup }: Bench,
  servers: AsyncDisposableStack,
  starting: Promise<ServerProcess>,
): Promise<ServerProcess> {
  const server = await starting;
  servers.defer(() => server.stop());
  cleanup.defer(() => server.stop());
  return server;
}

/** `applicationName` is what the server calls its connections. */
export function contenderOn(
  bench: Bench,
  { database, monitor }: Site,
  server: ServerProcess,
  { exchanges, applicationName }: Pick<ContenderParts, 'exchanges' | 'applicationName'>,
): Contender {
  return createContender({
    name: `${applicationName} on ${database}`,
    server,
    exchanges,
    client: bench.client(),
    monitor,
    applicationName,
    database,
  });
}

export function roundsFor({ options }: Bench): Rounds {
  return options.quick ? { count: 3, milliseconds: 1_000 } : { count: 5, milliseconds: 2_000 };
}

/** Ratios first, the figures they come from beside them. */
export function comparisonTable(
  title: string,
  comparisons: Comparison[],
  [ours, theirs]: [string, string],
): Table {
  const sides = (unit: string) => [`${ours} ${unit}`, theirs];
  return {
    title,
    columns: [
      'operation',
      'conns',
      'rps',
      'best rps',
      'CPU',
      'p99',
      ...sides('rps'),
      ...sides('p50 ms'),
      ...sides('p99 ms'),
      ...sides('CPU us'),
    ],
    rows: comparisons.map(
      ({ operation, connections, throughput, bestThroughput, cpu, p99, contender, reference }) => [
        operation,
        connections,
        throughput,
        bestThroughput,
        cpu,
        p99,
        ...[contender, reference].map((side) => Math.round(side.throughput)),
        ...[contender, reference].map((side) => side.p50),
        ...[contender, reference].map((side) => side.p99),
        ...[contender, reference].map((side) => side.cpu && Math.round(side.cpu)),
      ],
    ),
  };
}
