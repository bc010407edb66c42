import { type Command, Option } from 'commander';
import { USER_COLUMNS } from '#cli/commands/users/columns.ts';
import { readSecret } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';
import type { Work } from '#src/kernel/work.ts';
import { ROLES } from '#src/users/role.ts';

interface CreateOptions {
  email: string;
  firstName?: string;
  lastName?: string;
  role?: string;
  family?: string;
  newFamily?: string;
  currency?: string;
  passwordStdin?: true;
  invite?: true;
}

export function create(users: Command, host: Host): void {
  users
    .command('create')
    .alias('add')
    .summary('add somebody')
    .description(
      'Adds a user and prints the id. The very first one is a super_admin unless told otherwise. Without a password the user can own API keys, but not sign in with one.',
    )
    .requiredOption('--email <email>', 'the address the user is known by')
    .option('--first-name <name>')
    .option('--last-name <name>')
    .addOption(new Option('--role <role>', 'what the user may do; see financectl help roles').choices(ROLES))
    .option('--family <family>', 'name or id; not needed while there is only one')
    .addOption(new Option('--new-family <name>', 'make a family for the user').conflicts('family'))
    .option('--currency <code>', 'ISO 4217 code of the new family')
    .option('--password-stdin', 'read the password from standard input')
    .addOption(
      new Option('--invite', 'the same as users invite: they choose their name and password').conflicts([
        'firstName',
        'lastName',
        'newFamily',
        'currency',
        'passwordStdin',
      ]),
    )
    .addHelpText(
      'after',
      examples(
        [
          'users create --email ada@example.com --new-family Lovelace --currency GBP',
          'users create --email bob@example.com --family Lovelace --password-stdin < password.txt',
          'users create --email eve@example.com --family Lovelace --invite',
        ],
        'financectl users invite, financectl api-keys create, financectl help roles',
      ),
    )
    .action((options: CreateOptions) => runCreate(host, options));
}

async function runCreate(host: Host, options: CreateOptions): Promise<void> {
  const { newFamily, currency, passwordStdin, family, invite, ...person } = options;
  if (invite) {
    const { runInvite } = await import('#cli/commands/users/invite.ts');
    const { email, role = 'member' } = person;
    return runInvite(host, email, { role, ...(family !== undefined && { family }) });
  }
  if ((newFamily === undefined) !== (currency === undefined)) {
    throw new UsageError('--new-family and --currency belong together');
  }
  const password = passwordStdin ? await readSecret(host, 'Password', '--password-stdin < FILE') : undefined;
  const { createUser } = await import('#src/users/create-user.ts');
  const user = await host.perform(async (work) => {
    const familyId = await familyOf(work, { family, newFamily, currency });
    return createUser(work, { ...person, familyId, password });
  });
  say(host.io, `Created the user ${user.email} (${user.role})`);
  say(host.io, `Next: financectl api-keys create --user ${user.email} --name NAME`);
  printResult(host, presentRow(USER_COLUMNS, user), user.id);
}

type FamilyChoice = Record<'family' | 'newFamily' | 'currency', string | undefined>;

async function familyOf(work: Work, { family, newFamily, currency }: FamilyChoice): Promise<string> {
  if (newFamily !== undefined && currency !== undefined) {
    const { createFamily } = await import('#src/ledger/create-family.ts');
    return (await createFamily(work, { name: newFamily, currency })).id;
  }
  const { findFamily } = await import('#src/ledger/find-family.ts');
  return (await findFamily(work, family)).id;
}
