import { Argument, type Command, type Option } from 'commander';
import { DOCUMENT_FORMATS, LIST_FORMATS } from '#cli/formats.ts';
import { ROLES } from '#src/users/role.ts';

/** Things whose names are in the database or the providers' file. */
export type NameKind = 'families' | 'accounts' | 'users' | 'providers';

type Known = NameKind | 'files' | readonly string[];

/** By the word that help shows in place of a value. */
const BY_VALUE: Readonly<Record<string, Known>> = {
  family: 'families',
  account: 'accounts',
  user: 'users',
  provider: 'providers',
  role: ROLES,
  file: 'files',
  files: 'files',
  folder: 'files',
  path: 'files',
};

/** Where help shows a more general word. */
const BY_FLAG: Readonly<Record<string, Known>> = {
  '--provider': 'providers',
  '--confirm': 'users',
};

/** What could be meant by a value of this option or argument; undefined where nobody can know. */
export function knownBy(wanted: Option | Argument, command: Command): Known | undefined {
  if (wanted instanceof Argument) return BY_VALUE[wanted.name()];
  const word = /[<[]([^>\].]+)/.exec(wanted.flags)?.[1] ?? '';
  // A list has choices of its own.
  if (wanted.long === '--format') return Object.keys(command.parent ? DOCUMENT_FORMATS : LIST_FORMATS);
  const isOnlyOfProviders = command.parent?.name() === 'providers' && wanted.long === '--only';
  return isOnlyOfProviders ? 'providers' : (BY_FLAG[wanted.long ?? ''] ?? BY_VALUE[word]);
}
