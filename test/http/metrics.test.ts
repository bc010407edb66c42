import { describe, expect, onTestFinished, test } from 'vitest';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { countedBy, type Figure, sumFigures } from '#src/http/metrics/figures.ts';
import { openMetricsServer } from '#src/http/metrics/metrics-server.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { keepMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { parseIdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { recordingLog, serve, withoutDatabase } from '#test/http/serve.ts';
import { fixture, SAML } from '#test/sso/given-provider.ts';
import { metadataXml } from '#test/sso/support/saml-metadata.ts';
import { useRuntime } from '#test/support/database.ts';

const TOKEN = 'a-token-only-the-scraper-knows';
const harness = useRuntime({ METRICS_TOKEN: TOKEN, AUTH_PROVIDERS_SOURCE: 'db' });

const bearing = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** The samples whose name begins so, without the help around them. */
function samples(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('GET /metrics', () => {
  test('is nothing without METRICS_TOKEN', async () => {
    const { config } = harness.runtime;
    const http = { ...config.http, metricsToken: undefined };
    await using served = await serve({ ...harness.runtime, config: { ...config, http } });

    expect((await served.ask('/metrics', bearing(TOKEN))).status).toBe(404);
  });

  test('is for those who know the token', async () => {
    await using served = await serve(harness.runtime);

    for (const init of [
      {},
      bearing('a-token-only-the-scraper-know'),
      { headers: { Authorization: TOKEN } },
    ]) {
      const answer = await served.ask('/metrics', init);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(answer.text).not.toContain('process_');
    }
    expect((await served.ask('/metrics', { ...bearing(TOKEN), method: 'POST' })).status).toBe(405);
  });

  test('tells of the process, its pool and its answers', async () => {
    await using served = await serve(harness.runtime);
    await served.ask('/up');
    await served.ask('/api/v1/transactions');

    const { status, headers, text } = await served.ask('/metrics', bearing(TOKEN));

    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(samples(text, 'process_cpu_seconds_total')).toHaveLength(1);
    expect(samples(text, 'database_pool_connections').map((line) => line.split(' ')[0])).toEqual([
      'database_pool_connections{state="total"}',
      'database_pool_connections{state="idle"}',
      'database_pool_connections{state="waiting"}',
    ]);
    expect(samples(text, 'http_responses_total').toSorted()).toEqual([
      'http_responses_total{status="2xx"} 1',
      'http_responses_total{status="4xx"} 1',
    ]);
  });

  test('tells how long answers took, by patterns of paths and never by what was asked for', async () => {
    await using served = await serve(harness.runtime);
    for (const path of [
      '/api/v1/transactions/0190c4a4-0000-7000-8000-000000000000',
      '/api/v1/transactions/secret',
      '/api/v1/transactions?search=secret',
      '/secret/path',
      '/admin/users/secret',
      '/up',
    ]) {
      await served.ask(path);
    }
    await served.ask('/api/v1/accounts', { method: 'PROPFIND' });

    const { text } = await served.ask('/metrics', bearing(TOKEN));

    expect(samples(text, 'http_request_duration_seconds_count').toSorted()).toEqual(
      [
        'route="/admin/users/:id",method="GET",status="3xx"} 1',
        'route="/api/v1/accounts",method="other",status="4xx"} 1',
        'route="/api/v1/transactions",method="GET",status="4xx"} 1',
        'route="/api/v1/transactions/:id",method="GET",status="4xx"} 2',
        'route="/up",method="GET",status="2xx"} 1',
        'route="unmatched",method="GET",status="4xx"} 1',
      ].map((line) => `http_request_duration_seconds_count{${line}`),
    );
    const buckets = samples(text, 'http_request_duration_seconds_bucket{route="/up"');
    expect(buckets).toHaveLength(14);
    expect(buckets.at(-1)).toBe(
      'http_request_duration_seconds_bucket{route="/up",method="GET",status="2xx",le="+Inf"} 1',
    );
    expect(samples(text, 'http_request_duration_seconds_sum{route="/up"')[0]).toMatch(/ 0\.0\d+$/);
    expect(text).not.toContain('secret');
  });

  test('tells when the audit log was last archived, once it has been', async () => {
    await using served = await serve(harness.runtime);
    const figure = async () =>
      samples(
        (await served.ask('/metrics', bearing(TOKEN))).text,
        'audit_archive_last_success_timestamp_seconds',
      );

    const before = await figure();
    await harness.query(
      `insert into audit_retention (tier, last_success_at) values ('extended', '2026-11-21T03:17:00Z')`,
    );
    const after = await figure();
    await harness.query('delete from audit_retention');

    expect(before).toEqual([]);
    expect(after).toEqual(['audit_archive_last_success_timestamp_seconds{tier="extended"} 1795231020']);
  });

  test('counts sign-ins by provider, and failures by reason too, once they are on record', async () => {
    await using served = await serve(harness.runtime);
    const fail = (reason: string) => (dryRun: boolean) =>
      harness.perform(
        async (work) =>
          recordAuditEvent(work, 'login_failed', { provider: 'corp', metadata: { method: 'saml', reason } }),
        { dryRun },
      );
    await fail('assertion_replayed')(false);
    await fail('assertion_replayed')(false);
    await fail('never_saved')(true);
    await harness.perform(async (work) => recordAuditEvent(work, 'login', { provider: 'corp' }));
    await served.ask('/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: served.url },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'some password or other' }),
    });

    const { text } = await served.ask('/metrics', bearing(TOKEN));

    expect(samples(text, 'logins_total')).toEqual(['logins_total{provider="corp"} 1']);
    expect(samples(text, 'login_failures_total').toSorted()).toEqual([
      'login_failures_total{provider="corp",reason="assertion_replayed"} 2',
      'login_failures_total{provider="local",reason="unknown_user"} 1',
    ]);
  });

  test('tells when certificates end, and what became of metadata, of each SAML provider there is', async () => {
    await using served = await serve(harness.runtime);
    const own = { private_key: fixture('strong.key'), sp_certificate: fixture('strong.crt') };
    const metadata_url = 'https://idp.example.com/metadata';
    await harness.perform(async (work) => {
      await createProvider(work, { ...SAML, ...own, name: 'fields' });
      await createProvider(work, { strategy: 'saml', name: 'fetched', metadata_url });
      await createProvider(work, { strategy: 'saml', name: 'unknown', metadata_url });
    });
    await keepMetadata(sqlOn(harness.runtime.pool), 'fetched', {
      url: metadata_url,
      metadata: parseIdpMetadata(metadataXml()),
      fetchedAt: new Date('2026-11-21T12:00:00Z'),
      checkedAt: new Date('2026-11-21T13:00:00Z'),
      problem: 'provider_timeout',
    });

    const { text } = await served.ask('/metrics', bearing(TOKEN));

    expect(samples(text, 'sso_provider_').map((line) => line.replace(/ 4\d{9}$/, ' far'))).toEqual([
      'sso_provider_certificate_expires_timestamp_seconds{provider="fetched"} far',
      'sso_provider_certificate_expires_timestamp_seconds{provider="fields"} far',
      'sso_provider_own_certificate_expires_timestamp_seconds{provider="fields",use="signing"} far',
      'sso_provider_metadata_fetched_timestamp_seconds{provider="fetched"} 1795262400',
      'sso_provider_metadata_problem{provider="fetched",reason="provider_timeout"} 1',
    ]);
    await harness.query(`delete from sso_providers where name = 'fetched'`);
    const { text: after } = await served.ask('/metrics', bearing(TOKEN));
    expect(samples(after, 'sso_provider_').join()).not.toContain('fetched');
  });

  test('tells the rest while the database is away', async () => {
    const runtime = await withoutDatabase({ METRICS_TOKEN: TOKEN, AUTH_PROVIDERS_SOURCE: 'db' });
    await using served = await serve(runtime);

    const { status, text } = await served.ask('/metrics', bearing(TOKEN));

    expect(status).toBe(200);
    expect(samples(text, 'process_cpu_seconds_total')).toHaveLength(1);
    await runtime.close();
  });
});

describe('METRICS_PORT', () => {
  test('tells everybody the same without a token, and nothing else', async () => {
    const { config } = harness.runtime;
    const http = { ...config.http, metricsToken: undefined, metricsPort: 0 };
    await using served = await serve({ ...harness.runtime, config: { ...config, http } });
    const { ask } = await listening(async () => (await served.app.metrics?.write()) ?? '');
    await served.ask('/up');

    const answer = await ask('/metrics');

    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(samples(await answer.text(), 'http_responses_total')).toEqual([
      'http_responses_total{status="2xx"} 1',
    ]);
    expect((await served.ask('/metrics')).status).toBe(404);
    expect(await (await ask('/up')).json()).toEqual({ status: 'up' });
    expect((await ask('/api/v1/accounts')).status).toBe(404);
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
    expect(await (await ask('/metrics', { method: 'HEAD' })).text()).toBe('');
  });

  test('is opened only where somebody has set it', async () => {
    const { log } = recordingLog('info');

    expect(
      await openMetricsServer({ metricsHost: '127.0.0.1', metricsPort: undefined }, async () => '', log),
    ).toBeUndefined();
  });

  test('answers for figures that cannot be written', async () => {
    const { ask, lines } = await listening(() => Promise.reject(new Error('a private reason')));

    const answer = await ask('/metrics');

    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('private');
    expect(lines.map(({ event }) => event)).toContain('metrics_failed');
  });
});

describe('figures of several processes', () => {
  test('are summed up, and what a process has counted outlives it', async () => {
    const past = countedBy(figures(5, 3));

    const sum = await sumFigures([past, figures(2, 1), figures(1, 1)]);

    expect(sum.map(({ name, values }) => [name, values[0]?.value])).toEqual([
      ['http_responses_total', 8],
      ['database_pool_connections', 2],
    ]);
  });
});

/** METRICS_PORT on a free port, and what it logs. */
async function listening(write: () => Promise<string>) {
  const { log, lines } = recordingLog('info');
  const server = await openMetricsServer({ metricsHost: '127.0.0.1', metricsPort: 0 }, write, log);
  onTestFinished(() => server?.close());
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server?.port}${path}`, init);
  return { ask, lines };
}

const figure = (name: string, type: string, value: number): Figure => ({
  name,
  help: 'h',
  type,
  aggregator: 'sum',
  values: [{ labels: { status: '2xx' }, value }],
});

const figures = (answers: number, connections: number): Figure[] => [
  figure('http_responses_total', 'counter', answers),
  figure('database_pool_connections', 'gauge', connections),
];
