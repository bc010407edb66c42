import type { Bench, Site } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import type { Contender, Sample } from '#test/bench/contender.ts';
import { cpuClock } from '#test/bench/cpu.ts';
import { duel, overall } from '#test/bench/duel.ts';
import { addSamlCrowd } from '#test/bench/federated-crowd.ts';
import { median } from '#test/bench/figures.ts';
import { thrift } from '#test/bench/goals.ts';
import { operationsOn } from '#test/bench/operations.ts';
import { type ServerProcess, startBareSaml, startProduct } from '#test/bench/processes.ts';
import { askingByKey } from '#test/bench/requests.ts';
import { type AnsweredLogin, answerLogins } from '#test/bench/saml-answers.ts';
import type { Section, Table } from '#test/bench/section.ts';
import { comparisonTable, roundsFor, serve } from '#test/bench/serving.ts';
import { type Browser, openBrowser } from '#test/bench/start-logins.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';

const PROVIDER = 'bench-saml';
const PEOPLE = 64;
const GROUPS = 5;

/** A login comes back once, so a stretch is so many logins for each of its milliseconds, on both sides. */
const LOGINS_PER_MS = 0.1;
const WARM_UP = 100;
const CONNECTIONS = [2, 8];

/** What arrives at once, beside the JSON API. */
const BURST = 20;
const BURST_GROUPS = 100;
const API_CONNECTIONS = 4;

type Answer = (logins: number, groups: number) => Promise<AnsweredLogin[]>;

/**
 * Answers of people who have signed in through the provider before, from the post to the session, against node-saml
 * alone on the same answers; and what a burst of large answers does to the JSON API meanwhile. Only what a browser
 * brings back is timed: the form, and the request it is sent on to. What the product adds is HTTP, cookies, two threads,
 * and both requests' statements with their commits.
 */
export async function benchSaml(bench: Bench): Promise<Section> {
  const site = await bench.imports();
  await using servers = new AsyncDisposableStack();
  const idp = await createSamlIdp();
  const nameIds = await addSamlCrowd(site, {
    name: PROVIDER,
    fields: idp.fields({ name: PROVIDER }),
    count: PEOPLE,
  });
  const product = await serve(bench, servers, startProduct(site.url, { AUTH_PROVIDERS_SOURCE: 'db' }));
  const browser = await openBrowser(product, PROVIDER);
  const answer: Answer = (logins, groups) =>
    answerLogins(
      {
        product,
        browser,
        idp,
        provider: PROVIDER,
        groups,
        nameIdOf: (login) => nameIds[login % PEOPLE] ?? '',
      },
      logins,
    );

  const contender = signingIn(bench, site, product, { browser, answer });
  const reference = validating(bench, servers, idp, answer);
  for (const side of [contender, reference]) {
    await side.measure({ operation: 'answer', connections: 2, milliseconds: WARM_UP / LOGINS_PER_MS });
  }
  const comparisons = await duel({ contender, reference }, ['answer'], CONNECTIONS, roundsFor(bench));
  const { table, ratio } = await measureBursts(bench, site, product, answer);
  return {
    name: 'saml',
    tables: [
      comparisonTable('SAML answers to node-saml alone', comparisons, ['product', 'node-saml']),
      table,
    ],
    goals: [
      {
        what: 'SAML answer to node-saml alone',
        measured: overall(comparisons, thrift),
        bound: 'least',
        goal: 0.8,
      },
      { what: 'p99 of the API beside a burst to without', measured: ratio, bound: 'most', goal: 2 },
    ],
  };
}

function signingIn(
  bench: Bench,
  { monitor, database }: Site,
  { pid, port }: ServerProcess,
  { browser, answer }: { browser: Browser; answer: Answer },
): Contender {
  return {
    measure: async ({ connections, milliseconds }): Promise<Sample> => {
      const logins = Math.round(milliseconds * LOGINS_PER_MS);
      const answered = await answer(logins, GROUPS);
      const clock = await cpuClock(monitor, { pid, applicationName: 'finance', database });
      const before = await clock?.();
      const load = { port, status: 303, connections, milliseconds: 0, once: true };
      // The post comes from another site, without the cookie; where it leads does not.
      const follow = { Cookie: browser.cookie, Accept: 'text/html' };
      const requests = answered.map(({ post }) => post);
      const { failures, seconds, p50, p99 } = await bench.client().run({ ...load, requests, follow });
      const after = await clock?.();
      if (failures > 0)
        throw new WrongAnswer(`${failures} of ${logins} SAML answers were not answered with 303`);
      return {
        throughput: logins / seconds,
        p50,
        p99,
        cpu: before === undefined || after === undefined ? undefined : (after - before) / logins,
      };
    },
  };
}

function validating(
  { cleanup }: Bench,
  servers: AsyncDisposableStack,
  { certificate }: SamlIdp,
  answer: Answer,
): Contender {
  const worker = startBareSaml();
  servers.defer(() => worker.stop());
  cleanup.defer(() => worker.stop());
  return {
    measure: async ({ milliseconds }): Promise<Sample> => {
      const logins = Math.round(milliseconds * LOGINS_PER_MS);
      const answered = await answer(logins, GROUPS);
      const acsUrl = answered[0]?.acsUrl ?? '';
      const { seconds, p50, p99, cpu } = await worker.run({
        certificate,
        acsUrl,
        entityId: acsUrl.replace(/\/callback$/, ''),
        responses: answered.map(({ response }) => response),
      });
      return { throughput: logins / seconds, p50, p99, cpu };
    },
  };
}

/** The list of the JSON API for a while with nothing else, and for a while with a burst at its beginning, in turn. */
async function measureBursts(
  bench: Bench,
  { ledger }: Site,
  { port }: ServerProcess,
  answer: Answer,
): Promise<{ table: Table; ratio: number }> {
  const { list } = askingByKey(operationsOn(ledger), ledger.key);
  if (!list) throw new Error('nothing to ask the API for');
  const { count, milliseconds } = roundsFor(bench);
  const ask = () => bench.client().run({ ...list, port, connections: API_CONNECTIONS, milliseconds });

  const [quiet, busy]: [number[], number[]] = [[], []];
  for (let round = 0; round < count; round += 1) {
    const answered = await answer(BURST, BURST_GROUPS);
    quiet.push((await ask()).p99);
    const asking = ask();
    await Promise.all(answered.map((each) => postAnswer(port, each)));
    busy.push((await asking).p99);
  }
  const ratio = median(busy) / median(quiet);
  return {
    ratio,
    table: {
      title: `JSON API beside ${BURST} SAML answers of ${BURST_GROUPS} groups at once`,
      columns: ['p99 ms without', 'p99 ms beside', 'ratio'],
      rows: [[median(quiet), median(busy), ratio]],
    },
  };
}

async function postAnswer(port: number, { post, acsUrl }: AnsweredLogin): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${new URL(acsUrl).pathname}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: post.slice(post.indexOf('\r\n\r\n') + 4),
    redirect: 'manual',
  });
  await response.arrayBuffer();
  const location = response.headers.get('location') ?? '';
  if (!location.includes('/callback?state=')) throw new WrongAnswer(`a SAML answer led to ${location}`);
}
