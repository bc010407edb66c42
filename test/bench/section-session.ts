import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tokenDigest } from '#src/kernel/token.ts';
import { writeBareSettings } from '#test/bench/bare-settings.ts';
import type { Bench, Site } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { type Comparison, duel } from '#test/bench/duel.ts';
import { thrift } from '#test/bench/goals.ts';
import { addCrowd, BEHIND_PROXY, signInAll } from '#test/bench/people.ts';
import { REMEMBERING, type ServerProcess, startBarePages, startProduct } from '#test/bench/processes.ts';
import { type RecordedAnswer, recordAnswer } from '#test/bench/record-answer.ts';
import { type Exchange, requestText } from '#test/bench/requests.ts';
import type { Goal, Section } from '#test/bench/section.ts';
import { comparisonTable, contenderOn, roundsFor, serve } from '#test/bench/serving.ts';
import { sessionToken } from '#test/bench/session-token.ts';

const PEOPLE = 32;
const SECURITY = '/settings/security';

/** By the name of the operation. */
const OPERATIONS = {
  'security page': { path: SECURITY, status: 200, signedIn: true },
  home: { path: '/', status: 303, signedIn: true },
  'home, not signed in': { path: '/', status: 303, signedIn: false },
};

/**
 * What the check of the session adds to a page.
 *
 * First the product to itself with sessions kept in memory, where neither suspension nor sign-out would act on
 * anybody: the same pages byte for byte, without the statement. 0.8 means that the check is a fifth of the page.
 * Then the product to a bare server that runs the same statement and repeats the product's answer. `/` redirects, so
 * it is hardly more than the check: 0.5 means that Koa, cookie and signature cost as much as the statement and HTTP
 * themselves, about the share that Koa has of a request without database. Other pages ask for more than the session,
 * which the bare server does not; without a session neither asks the database anything.
 */
export async function benchSession(bench: Bench): Promise<Section> {
  const site = await bench.imports();
  await using servers = new AsyncDisposableStack();
  const product = await serve(bench, servers, startProduct(site.url, BEHIND_PROXY));
  const remembering = await serve(bench, servers, startProduct(site.url, REMEMBERING));
  const crowd = await addCrowd(site.monitor, 'session', PEOPLE);
  const [spare = '', ...cookies] = await signInAll(product, crowd);
  const bare = await serve(bench, servers, startRepeating(bench, site, product, spare));
  await expectLookUps(site, { product, remembering, bare }, spare);

  const exchanges = exchangesFor(cookies);
  const on = (server: ServerProcess, applicationName = 'finance') =>
    contenderOn(bench, site, server, { exchanges, applicationName });
  const contender = on(product);
  const signedIn = ['security page', 'home'];
  const checks = await duel({ contender, reference: on(remembering) }, signedIn, [16], roundsFor(bench));
  const pages = await duel(
    { contender, reference: on(bare, 'bare') },
    Object.keys(OPERATIONS),
    [16],
    roundsFor(bench),
  );
  return {
    name: 'session',
    tables: [
      comparisonTable('Pages to themselves with sessions in memory', checks, ['product', 'in memory']),
      comparisonTable('Pages to a bare server with the same check', pages, ['product', 'bare']),
    ],
    goals: [
      goal('security page to itself with sessions in memory', checks, { of: 'security page', least: 0.8 }),
      goal('home to bare server with the same check', pages, { of: 'home', least: 0.5 }),
    ],
  };
}

/** The bare server, with the product's statement and the product's answers to one visitor. */
async function startRepeating(
  { folder }: Bench,
  { url, ledger }: Site,
  product: ServerProcess,
  cookie: string,
): Promise<ServerProcess> {
  const [settings, answers] = [join(folder, 'bare-pages.json'), join(folder, 'answers.json')];
  await writeBareSettings(url, ledger, settings);
  const recorded: RecordedAnswer[] = [];
  for (const { path, signedIn } of Object.values(OPERATIONS)) {
    recorded.push(await recordAnswer(product, path, signedIn ? cookie : undefined));
  }
  await writeFile(answers, JSON.stringify(recorded));
  return startBarePages(settings, answers);
}

function exchangesFor(cookies: string[]): Record<string, Exchange> {
  const exchanges: Record<string, Exchange> = {};
  for (const [operation, { path, status, signedIn }] of Object.entries(OPERATIONS)) {
    const visitors = signedIn ? cookies.map((Cookie) => ({ Cookie })) : [{}];
    exchanges[operation] = { requests: visitors.map((headers) => requestText({ path, headers })), status };
  }
  return exchanges;
}

/** Ends the session everywhere but in memory: whoever looks it up must turn it away, and who does not cannot know. */
async function expectLookUps(
  { monitor }: Site,
  { product, remembering, bare }: Record<'product' | 'remembering' | 'bare', ServerProcess>,
  cookie: string,
): Promise<void> {
  const expectStatus = async (server: ServerProcess, expected: number) => {
    const { status } = await recordAnswer(server, SECURITY, cookie);
    if (status !== expected) throw new WrongAnswer(`${SECURITY} answers ${status} instead of ${expected}`);
  };
  for (const server of [product, remembering, bare]) await expectStatus(server, 200);
  await monitor.query('delete from sessions where digest = $1', [tokenDigest(sessionToken(cookie) ?? '')]);
  await expectStatus(product, 303);
  await expectStatus(remembering, 200);
  await expectStatus(bare, 401);
}

function goal(what: string, comparisons: Comparison[], { of, least }: { of: string; least: number }): Goal {
  const comparison = comparisons.find(({ operation }) => operation === of);
  return { what, measured: comparison ? thrift(comparison) : Number.NaN, bound: 'least', goal: least };
}
