import type { Command } from 'commander';
import { readEntries } from '#cli/commands/providers/read-entries.ts';
import { tellWhenUnused, wayInPolicy } from '#cli/commands/providers/source.ts';
import { confirm } from '#cli/confirm.ts';
import { UsageError, Verdict } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Column, printJson, printList } from '#cli/render.ts';
import { another } from '#cli/values.ts';
import type { MigrationRequest, MigrationStep } from '#src/sso/providers/plan-migration.ts';

interface MigrateOptions {
  file?: string;
  only?: string[];
  prune?: true;
  skipVerify?: true;
  exitCode?: true;
  forceLinked?: true;
}

export function migrate(providers: Command, host: Host): void {
  providers
    .command('migrate')
    .aliases(['seed', 'import'])
    .summary('bring the providers of a YAML file into the database')
    .description(
      'Creates and updates the providers of the database as the file says, all of them or none. What the file does not mention stays, stored secrets too. New issuers and metadata URLs are checked with their providers first. A second run changes nothing.',
    )
    .option('--file <file>', 'the YAML file, - for standard input; default AUTH_PROVIDERS_FILE')
    .option('--only <name>', 'this provider alone; may be repeated', another)
    .option('--prune', 'delete what the file does not have; asks first')
    .option('--skip-verify', 'do not ask the providers for their issuers and metadata')
    .option('--force-linked', 'even when it shuts out users who are linked')
    .option('--exit-code', 'with --dry-run: exit with 8 when there are changes')
    .addHelpText(
      'after',
      examples(
        ['providers migrate --dry-run', 'providers migrate --file config/auth.yml --only okta'],
        'financectl providers export',
      ),
    )
    .action((options: MigrateOptions) => runMigrate(host, options));
}

async function runMigrate(host: Host, options: MigrateOptions): Promise<void> {
  const { only, prune } = options;
  if (prune && only) throw new UsageError('--prune and --only contradict each other');
  const entries = await readEntries(host, options.file ?? host.config().sso.file);
  const absent = (only ?? []).filter((name) => entries.every((entry) => entry.name !== name));
  if (absent.length > 0) throw new UsageError(`the file has no provider named ${absent.join(', ')}`);
  if (prune) await confirm(host, 'Delete the providers that the file does not have?');

  const [{ planMigration }, { migrateProviders }] = await Promise.all([
    import('#src/sso/providers/plan-migration.ts'),
    import('#src/sso/providers/migrate-providers.ts'),
  ]);
  const request: MigrationRequest = { entries, only, prune };
  const plan = await host.read((work) => planMigration(work, request));
  const refusals = options.skipVerify ? undefined : await verifySteps(host, plan);
  const limits = { policy: await wayInPolicy(host), force: options.forceLinked };
  const steps = await host.perform((work) => migrateProviders(work, { ...request, refusals, ...limits }));
  await tell(host, steps, options);
}

/** What the providers themselves say against the plan, by name. */
async function verifySteps(host: Host, plan: readonly MigrationStep[]): Promise<Map<string, string>> {
  const { whyRefused } = await import('#cli/commands/providers/verify.ts');
  const wanted = plan.filter(
    ({ action, fields, provider }) =>
      provider?.enabled &&
      (action === 'create' || (action === 'update' && ASKED_FOR.some((field) => fields.includes(field)))),
  );
  const answers = await Promise.all(
    wanted.map(
      async ({ name, provider }): Promise<[string, string | undefined]> => [
        name,
        provider &&
          (await whyRefused(host, provider))?.errors?.join('; ').replaceAll(/\b(issuer|metadata_url): /g, ''),
      ],
    ),
  );
  return new Map(answers.flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])));
}

/** A change of these is checked with the provider. */
const ASKED_FOR = ['issuer', 'metadata_url'];

const COLUMNS: Column<MigrationStep>[] = [
  { key: 'action', value: ({ action }) => action, whole: true },
  { key: 'name', value: ({ name }) => name, whole: true },
  { key: 'strategy', value: ({ strategy }) => strategy },
  { key: 'changes', value: ({ details }) => details.join(', '), whole: true },
];

async function tell(
  host: Host,
  steps: readonly MigrationStep[],
  { exitCode }: MigrateOptions,
): Promise<void> {
  const count = (action: MigrationStep['action']) => steps.filter((step) => step.action === action).length;
  const counts = {
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    skipped: count('skip'),
    errors: count('error'),
  };
  if (host.flags.json) {
    const presented = steps.map(({ action, name, strategy, fields, details }) => ({
      action,
      name,
      strategy,
      fields,
      details,
    }));
    printJson(host, {
      dry_run: host.dryRun,
      applied: counts.errors === 0 && !host.dryRun,
      ...counts,
      steps: presented,
    });
  } else {
    await printList(
      host,
      { header: true },
      { rows: steps, columns: COLUMNS, empty: 'The file has no providers' },
    );
  }
  const { created, updated, deleted, skipped, errors } = counts;
  const sum = `created ${created}, updated ${updated}, ${deleted > 0 ? `deleted ${deleted}, ` : ''}skipped ${skipped}, errors ${errors}`;
  if (errors > 0) throw new Verdict('validation_failed', 5, `${sum}; nothing was saved`, HINT);
  say(host.io, sum);
  const changes = created + updated + deleted;
  if (changes > 0) tellWhenUnused(host);
  if (exitCode && host.dryRun && changes > 0)
    throw new Verdict('changes_pending', 8, `changes to make: ${changes}`);
}

const HINT =
  'Nothing is saved while there are errors; --only picks providers, --skip-verify does without asking them, --dry-run shows the plan.';
