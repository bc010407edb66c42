import { describe, expect, test } from 'vitest';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { keepMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { parseIdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { serve, withoutDatabase } from '#test/http/serve.ts';
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
