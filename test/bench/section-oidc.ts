import type { Bench, Site } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import type { Contender, Sample } from '#test/bench/contender.ts';
import { cpuClock } from '#test/bench/cpu.ts';
import { type Comparison, duel, overall } from '#test/bench/duel.ts';
import { addFederatedCrowd, PROVIDER } from '#test/bench/federated-crowd.ts';
import { thrift } from '#test/bench/goals.ts';
import type { IssuerRequests } from '#test/bench/issuer-terms.ts';
import { type ServerProcess, startBareOpenid, startIssuer, startProduct } from '#test/bench/processes.ts';
import type { Goal, Section, Table } from '#test/bench/section.ts';
import { comparisonTable, roundsFor, serve } from '#test/bench/serving.ts';
import { openBrowser, startLogins } from '#test/bench/start-logins.ts';

/** So many that hardly two of them sign in as the same person at the same time. */
const PEOPLE = 192;

const CONNECTIONS = [2, 16];

/** A login comes back once, so a stretch is so many logins for each of its milliseconds, on both sides. */
const LOGINS_PER_MS = 0.25;

/** Of each side before anything counts: code is compiled, the provider's document and keys are known. */
const WARM_UP = 500;

const KINDS = ['discovery', 'keys', 'token', 'userInfo'] as const;

/** What the provider was asked on behalf of one side since the warm-up. */
interface Tally extends IssuerRequests {
  logins: number;
}

/**
 * Callbacks of people who have signed in through the provider before, against openid-client alone at the same
 * provider: configuration and keys kept, signature checked, user info asked for. Only callbacks are timed; the logins
 * they end are started before. What the product adds is HTTP, cookies, and a dozen statements with two commits: provider,
 * pending login, identity, user, session and audit. The goal is by CPU where it is known, of server and database
 * together: in throughput, provider and load client take their share of the cores from both sides.
 */
export async function benchOidc(bench: Bench): Promise<Section> {
  const site = await bench.imports();
  await using servers = new AsyncDisposableStack();
  const issuer = await serve(bench, servers, startIssuer(PEOPLE));
  await addFederatedCrowd(site, urlOf(issuer), PEOPLE);
  const product = await serve(bench, servers, startProduct(site.url, { AUTH_PROVIDERS_SOURCE: 'db' }));

  const sides = [await signingIn(bench, site, product), redeeming(bench, servers, issuer)] as const;
  for (const stretch of sides) await stretch(WARM_UP, Math.max(...CONNECTIONS));
  const [ours, theirs] = [startTally(), startTally()];
  const comparisons = await duel(
    { contender: tallied(issuer, ours, sides[0]), reference: tallied(issuer, theirs, sides[1]) },
    ['callback'],
    CONNECTIONS,
    roundsFor(bench),
  );
  await expectSessions(site, WARM_UP + ours.logins);
  return {
    name: 'oidc',
    tables: [
      comparisonTable('OIDC callbacks to openid-client alone', comparisons, ['product', 'openid-client']),
      requestTable({ product: ours, 'openid-client': theirs }),
    ],
    goals: goalsFor(comparisons, ours),
  };
}

/** A stretch of so many logins, started before and brought to their end while it is measured. */
type Stretch = (logins: number, connections: number) => Promise<Sample>;

/** The product: its callbacks from the load client. */
async function signingIn(
  bench: Bench,
  { monitor, database }: Site,
  product: ServerProcess,
): Promise<Stretch> {
  const browser = await openBrowser(product);
  const { pid, port } = product;
  return async (logins, connections) => {
    const requests = await startLogins(product, browser, logins);
    const clock = await cpuClock(monitor, { pid, applicationName: 'finance', database });
    const before = await clock?.();
    const load = { port, requests, status: 303, connections, milliseconds: 0 };
    const { failures, seconds, p50, p99 } = await bench.client().run({ ...load, once: true });
    const after = await clock?.();
    if (failures > 0) throw new WrongAnswer(`${failures} of ${logins} callbacks were not answered with 303`);
    const cpu = before === undefined || after === undefined ? undefined : (after - before) / logins;
    return { throughput: logins / seconds, p50, p99, cpu };
  };
}

/** openid-client, which throws when an answer is not right. */
function redeeming({ cleanup }: Bench, servers: AsyncDisposableStack, issuer: ServerProcess): Stretch {
  const worker = startBareOpenid();
  servers.defer(() => worker.stop());
  cleanup.defer(() => worker.stop());
  return async (logins, connections) => {
    const result = await worker.run({ issuer: urlOf(issuer), logins, connections });
    const { seconds, p50, p99, cpu } = result;
    return { throughput: logins / seconds, p50, p99, cpu };
  };
}

function tallied(issuer: ServerProcess, tally: Tally, stretch: Stretch): Contender {
  return {
    measure: async ({ connections, milliseconds }) => {
      const logins = Math.round(milliseconds * LOGINS_PER_MS);
      const before = await readRequests(issuer);
      const sample = await stretch(logins, connections);
      const after = await readRequests(issuer);
      tally.logins += logins;
      for (const kind of KINDS) tally[kind] += after[kind] - before[kind];
      return sample;
    },
  };
}

function startTally(): Tally {
  return { logins: 0, discovery: 0, keys: 0, token: 0, userInfo: 0 };
}

async function readRequests(issuer: ServerProcess): Promise<IssuerRequests> {
  const response = await fetch(`${urlOf(issuer)}/requests`);
  const requests: IssuerRequests = JSON.parse(await response.text());
  return requests;
}

/** A callback that asks for a password is answered with 303 as well. */
async function expectSessions({ monitor }: Site, logins: number): Promise<void> {
  const { rows } = await monitor.query<{ count: number }>(
    'select count(*)::integer as count from sessions where provider = $1',
    [PROVIDER],
  );
  const sessions = rows[0]?.count;
  if (sessions !== logins) throw new WrongAnswer(`${logins} callbacks made ${sessions} sessions`);
}

function requestTable(sides: Record<string, Tally>): Table {
  return {
    title: 'Requests to the provider for each warm login',
    columns: ['side', 'discovery', 'keys', 'token', 'user info', 'logins'],
    rows: Object.entries(sides).map(([side, tally]) => [
      side,
      ...KINDS.map((kind) => tally[kind] / tally.logins),
      tally.logins,
    ]),
  };
}

function goalsFor(comparisons: Comparison[], tally: Tally): Goal[] {
  const perLogin = (kinds: (keyof IssuerRequests)[]) =>
    kinds.reduce((sum, kind) => sum + tally[kind], 0) / tally.logins;
  return [
    {
      what: 'callback to openid-client alone',
      measured: overall(comparisons, thrift),
      bound: 'least',
      goal: 0.8,
    },
    { what: 'requests for a warm login', measured: perLogin([...KINDS]), bound: 'most', goal: 2 },
    {
      what: 'of them discovery and keys',
      measured: perLogin(['discovery', 'keys']),
      bound: 'most',
      goal: 0,
    },
  ];
}

function urlOf({ port }: ServerProcess): string {
  return `http://127.0.0.1:${port}`;
}
