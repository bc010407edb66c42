import type { Command } from 'commander';
import { withAccess } from '#cli/commands/providers/access.ts';
import { openSource } from '#cli/commands/providers/source.ts';
import { UsageError, Verdict } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { count } from '#cli/values.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

interface TestOptions {
  header: boolean;
  all?: true;
  timeout?: number;
  warnCertDays: number;
  exitCode?: true;
}

/** One thing that was looked at, with the provider it belongs to. */
interface Row {
  provider: string;
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** Undefined: nobody was asked. */
  milliseconds?: number | undefined;
  isOutage?: boolean | undefined;
}

const COLUMNS: Column<Row>[] = [
  { key: 'provider', value: ({ provider }) => provider, whole: true },
  { key: 'check', value: ({ check }) => check, whole: true },
  { key: 'status', header: 'RESULT', value: ({ status }) => status, whole: true },
  { key: 'milliseconds', header: 'MS', value: ({ milliseconds }) => milliseconds, align: 'right' },
  { key: 'message', value: ({ message }) => message, whole: true },
];

export function test(providers: Command, host: Host): void {
  listOptions(providers.command('test'))
    .summary('ask providers whether they are set up as they say')
    .description(
      'Asks providers for what they publish and looks at certificates; nobody signs in. Exits with 5 when something is wrong, with 7 when a provider does not answer.',
    )
    .argument('[provider...]', 'names or ids')
    .option('--all', 'every provider that is enabled')
    .option('--timeout <seconds>', 'for all requests to one provider; default 10', count)
    .option('--warn-cert-days <days>', 'warn of certificates that end within so many days', count, 30)
    .option('--exit-code', 'exit with 8 when there are warnings')
    .addHelpText('after', examples(['providers test okta', 'providers test --all --exit-code --quiet']))
    .action((references: string[], options: TestOptions) => runTest(host, references, options));
}

async function runTest(host: Host, references: string[], options: TestOptions): Promise<void> {
  if (references.length > 0 === (options.all === true)) {
    throw new UsageError(
      references.length > 0 ? '--all and names contradict each other' : 'a <provider> or --all is required',
    );
  }
  const entries = await chooseEntries(host, references);
  const rows = (await Promise.all(entries.map((entry) => testEntry(host, entry, options)))).flat();
  await printList(host, options, { rows, columns: COLUMNS, empty: 'No provider is enabled' });

  const failures = rows.filter(({ status }) => status === 'fail');
  const warnings = rows.filter(({ status }) => status === 'warn');
  if (failures.length > 0) {
    const isOutage = failures.every((row) => row.isOutage);
    const sum = `${failures.length} ${failures.length === 1 ? 'check' : 'checks'} failed`;
    throw isOutage ? new Verdict('service_unavailable', 7, sum) : new Verdict('validation_failed', 5, sum);
  }
  if (options.exitCode && warnings.length > 0)
    throw new Verdict('warnings', 8, `warnings: ${warnings.length}`);
  if (rows.length === 0) return;
  say(
    host.io,
    warnings.length === 0
      ? 'Nothing is wrong'
      : `Signing in should work; look at the warnings (${warnings.length})`,
  );
}

async function chooseEntries(host: Host, references: string[]): Promise<ProviderEntry[]> {
  const source = await openSource(host);
  if (references.length === 0) return (await source.list()).filter(({ enabled }) => enabled);
  const { findEntry } = await import('#src/sso/providers/find-entry.ts');
  return Promise.all(references.map((reference) => findEntry(source, reference)));
}

async function testEntry(
  host: Host,
  { name, provider, problem = '' }: ProviderEntry,
  { timeout, warnCertDays }: TestOptions,
): Promise<Row[]> {
  if (!provider) return [{ provider: name, check: 'settings', status: 'fail', message: problem }];
  const { checkProvider } = await import('#src/sso/checks/check-provider.ts');
  const limit = timeout === undefined ? undefined : timeout * 1_000;
  const { checks } = await withAccess(host, limit, (access) =>
    checkProvider(provider, access, { warnCertDays }),
  );
  return checks.map(({ name: check, status, message, milliseconds, isOutage }) => ({
    provider: name,
    check,
    status,
    message,
    milliseconds,
    isOutage,
  }));
}
