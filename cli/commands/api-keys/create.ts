import { type Command, Option } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import { moment, span } from '#cli/values.ts';
import { SCOPES } from '#src/auth/scope.ts';
import type { Work } from '#src/kernel/work.ts';

interface CreateOptions {
  user: string;
  name: string;
  scope: string;
  expiresIn?: number;
  expiresAt?: Date;
}

export function create(apiKeys: Command, host: Host): void {
  apiKeys
    .command('create')
    .alias('add')
    .summary('make a key and print it, once')
    .description(
      'Makes a key for the JSON API. It is printed alone on stdout, this one time; it is stored nowhere.',
    )
    .requiredOption('--user <user>', 'email or id of its owner')
    .requiredOption('--name <name>', "what it is for; unique among the owner's active keys")
    .addOption(new Option('--scope <scope>', 'what it may do').choices(SCOPES).default('read'))
    .option('--expires-in <span>', 'hours, days or weeks: 12h, 90d, 4w; default: never', span)
    .addOption(
      new Option('--expires-at <date>', 'a day or an ISO 8601 timestamp')
        .argParser(moment)
        .conflicts('expiresIn'),
    )
    .addHelpText(
      'after',
      examples(
        [
          'api-keys create --user ada@example.com --name reports --expires-in 90d',
          'api-keys create --user ada@example.com --name sync --scope read_write -o key.txt',
        ],
        'financectl api-keys revoke',
      ),
    )
    .action((options: CreateOptions) => runCreate(host, options));
}

async function runCreate(host: Host, options: CreateOptions): Promise<void> {
  const { user: reference, name, scope } = options;
  const [{ createApiKey }, { findUser }] = await Promise.all([
    import('#src/auth/create-api-key.ts'),
    import('#src/users/find-user.ts'),
  ]);
  const { apiKey, key, email } = await host.perform(async (work) => {
    const user = await findUser(work, reference);
    const created = await createApiKey(work, {
      userId: user.id,
      name,
      scope,
      expiresAt: expiry(work, options),
    });
    return { ...created, email: user.email };
  });

  const { id, expiresAt = null } = apiKey;
  say(
    host.io,
    `Created the API key ${name} (${scope}) of ${email}; it expires ${shortTime(expiresAt, 'never')}`,
  );
  // After a dry run the key does not exist.
  const shown = host.dryRun ? null : key;
  if (shown) say(host.io, 'Keep it safe: it is shown this once. Send it in the header X-Api-Key.');
  printResult(host, { id, email, name, scope, expires_at: iso(expiresAt), key: shown }, shown ?? undefined);
}

function expiry(work: Work, { expiresIn, expiresAt }: CreateOptions): Date | undefined {
  return expiresIn === undefined ? expiresAt : new Date(work.now().getTime() + expiresIn);
}
