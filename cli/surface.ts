import type { Command } from 'commander';
import type { Host } from '#cli/host.ts';

/** What every command understands, before or after its name. */
export interface Flags {
  json?: true;
  format?: string;
  output?: string;
  force?: true;
  quiet?: true;
  verbose?: true;
  debug?: true;
  config?: string;
  color: boolean;
  input: boolean;
  yes?: true;
  actor?: string;
  dryRun?: boolean;
}

export function addFlags(program: Command): void {
  program
    .option('--json', 'one JSON document on stdout; errors as JSON on stderr')
    .option('--format <format>', 'json or yaml, and more for lists; see financectl help formats')
    .option('-o, --output <file>', 'write the result to a new file (mode 0600); - is stdout')
    .option('--force', 'let --output replace the file')
    .option('-q, --quiet', 'say nothing but results and errors')
    .option('--verbose', 'tell every 10 seconds how a long job goes, where stderr is no terminal')
    .option('--debug', 'log everything; show the stack of an error')
    .option('--no-color', 'no colours')
    .option('--no-input', 'never ask')
    .option('-y, --yes', 'answer confirmations with yes')
    .option('--config <file>', 'read settings from this file of NAME=value lines; see help environment')
    .option('--actor <user>', 'act as this super admin (email or id), for the audit log')
    .option('-n, --dry-run', 'do everything, then save nothing')
    .option('--no-dry-run', 'save, even when DRY_RUN says otherwise')
    .option('-V, --version', 'print the version');
}

type Register = (group: Command, host: Host) => void;

interface Group {
  name: string;
  alias?: string;
  summary: string;
  load: () => Promise<Register>;
}

/** The command tree's first level. A group's files are read when its name is on the command line, not before. */
export const GROUPS: readonly Group[] = [
  {
    name: 'families',
    alias: 'family',
    summary: 'the households that share a ledger',
    load: async () => (await import('#cli/commands/families/index.ts')).families,
  },
  {
    name: 'users',
    alias: 'user',
    summary: 'people, and the role they have',
    load: async () => (await import('#cli/commands/users/index.ts')).users,
  },
  {
    name: 'providers',
    alias: 'provider',
    summary: 'identity providers people sign in with',
    load: async () => (await import('#cli/commands/providers/index.ts')).providers,
  },
  {
    name: 'keys',
    alias: 'key',
    summary: 'the keys that encrypt stored secrets',
    load: async () => (await import('#cli/commands/keys/index.ts')).keys,
  },
  {
    name: 'accounts',
    alias: 'account',
    summary: 'where the money is',
    load: async () => (await import('#cli/commands/accounts/index.ts')).accounts,
  },
  {
    name: 'api-keys',
    alias: 'api-key',
    summary: 'keys for programs that use the JSON API',
    load: async () => (await import('#cli/commands/api-keys/index.ts')).apiKeys,
  },
  {
    name: 'import',
    summary: 'bring in bank statements, list them, undo them',
    load: async () => (await import('#cli/commands/import/index.ts')).imports,
  },
  {
    name: 'export',
    summary: "write out a family's data",
    load: async () => (await import('#cli/commands/export/index.ts')).exports,
  },
  {
    name: 'transactions',
    alias: 'transaction',
    summary: 'look at what moved',
    load: async () => (await import('#cli/commands/transactions/index.ts')).transactions,
  },
  {
    name: 'transfers',
    alias: 'transfer',
    summary: 'pairs of transactions that are one movement',
    load: async () => (await import('#cli/commands/transfers/index.ts')).transfers,
  },
  {
    name: 'audit',
    summary: 'who changed what, and when',
    load: async () => (await import('#cli/commands/audit/index.ts')).audit,
  },
  {
    name: 'demo',
    summary: 'a sample household to try things on',
    load: async () => (await import('#cli/commands/demo/index.ts')).demo,
  },
  {
    name: 'db',
    summary: 'the database schema',
    load: async () => (await import('#cli/commands/db/index.ts')).db,
  },
  {
    name: 'backup',
    summary: 'save everything into one file, and check such a file',
    load: async () => (await import('#cli/commands/backup/index.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'bring a backup back',
    load: async () => (await import('#cli/commands/restore/index.ts')).restore,
  },
  {
    name: 'config',
    summary: 'the settings in force, and whether they are valid',
    load: async () => (await import('#cli/commands/config/index.ts')).config,
  },
  {
    name: 'completion',
    summary: 'scripts that let a shell complete command lines',
    load: async () => (await import('#cli/commands/completion/index.ts')).completion,
  },
  {
    name: 'doctor',
    summary: 'look at everything the service needs, and say what to do',
    load: async () => (await import('#cli/commands/doctor/index.ts')).doctor,
  },
  {
    name: 'help',
    summary: 'environment, exit-codes, formats, roles',
    load: async () => (await import('#cli/commands/help/index.ts')).help,
  },
];

export function findGroup(name: string): Group {
  const group = GROUPS.find((group) => group.name === name);
  if (!group) throw new Error(`no group ${name}`);
  return group;
}
