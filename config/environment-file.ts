import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '#config/env.ts';
import { holdsSecrets } from '#config/secret-files.ts';
import { type UnknownName, unknownNames } from '#config/unknown-names.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface EnvironmentSources {
  /** The process's own; what is set there, even to nothing, wins over the file. */
  env: Environment;
  /** What `--config` names; it must be there. */
  file?: string | undefined;
  /** Read when `file` is not given, if it is there. */
  standardFile?: string | undefined;
}

export interface LoadedEnvironment {
  env: Environment;
  /** The file that was read, absolute. */
  file: string | undefined;
  /** Names that have their value from the file. */
  fromFile: ReadonlySet<string>;
  /** Names that look like settings and are none, each in a sentence. */
  unknown: readonly string[];
  /** What somebody should know about all this. */
  warning: string | undefined;
}

/** The environment, completed by one file of `NAME=value` lines. Both doors read their variables here. */
export function loadEnvironment({ env, file, standardFile }: EnvironmentSources): LoadedEnvironment {
  const path = file ?? standardFile;
  const text = path === undefined ? undefined : readFile(path, file !== undefined);
  if (path === undefined || text === undefined) {
    return { env, file: undefined, fromFile: new Set(), ...warnOf(unknownNames(env)) };
  }
  refuseOddLines(text, path);
  const values = Object.entries(parseEnv(text)).filter(([name]) => !isSetIn(env, name));
  const all = { ...Object.fromEntries(values), ...env };
  const fromFile = new Set(values.map(([name]) => name));
  const unknown = unknownNames(all);
  refuseSlips(
    unknown.filter(({ name }) => fromFile.has(name)),
    { text, path },
  );
  return { env: all, file: resolve(path), fromFile, ...warnOf(unknown, warnOfReaders(path, values)) };
}

function warnOf(names: UnknownName[], other?: string): Pick<LoadedEnvironment, 'unknown' | 'warning'> {
  const unknown = names.map(({ text }) => text);
  return { unknown, warning: [...(other ? [other] : []), ...unknown].join('; ') || undefined };
}

/** Whoever writes a file means its names; an environment is also that of others. */
function refuseSlips(unknown: UnknownName[], { text, path }: { text: string; path: string }): void {
  const problems = unknown
    .filter(({ isSlip }) => isSlip)
    .map((slip) => {
      const before = text.slice(
        0,
        text.search(new RegExp(`^[ \\t]*(export[ \\t]+)?${slip.name}[ \\t]*=`, 'm')),
      );
      return `${path}:${before.split('\n').length}: ${slip.text}`;
    });
  if (problems.length === 0) return;
  throw new AppError('configuration_invalid', problems.join('; '), {
    errors: problems,
    hint: "Correct the name; 'financectl help environment' lists every variable.",
  });
}

/** A secret may be given as NAME or as NAME_FILE: the process's own form wins over both forms in the file. */
function isSetIn(env: Environment, name: string): boolean {
  return [name, `${name}_FILE`, name.replace(/_FILE$/, '')].some((form) => env[form] !== undefined);
}

function readFile(path: string, isRequired: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const reason = errorCode(error);
    if (reason === 'ENOENT' && !isRequired) return undefined;
    if (reason === 'ENOENT') {
      throw new AppError('not_found', `No such file: ${path}`, {
        hint: '--config names a file of NAME=value lines.',
      });
    }
    throw new AppError('configuration_invalid', `${path} cannot be read (${reason})`, {
      hint: 'It holds settings as NAME=value lines. Correct its owner, or name another with --config.',
    });
  }
}

const NAME = '(?:export[ \\t]+)?[A-Za-z_]\\w*[ \\t]*=[ \\t]*';
const COMMENT = '#[^\\n]*';
const QUOTED = `(?:"[^"]*"|'[^']*'|\`[^\`]*\`)[ \\t]*(?:${COMMENT})?`;
const PLAIN = `[^"'\`\\s#][^\\n#]*(?:(?<=[ \\t])${COMMENT})?`;
/** One assignment, which may go over several lines in quotes; or a comment; or nothing. */
const ENTRY = new RegExp(
  `[ \\t]*(?:${NAME}(?:${QUOTED}|${PLAIN}|(?:${COMMENT})?)|(?:${COMMENT})?)[ \\t\\r]*(?:\\n|$)`,
  'y',
);

/** Node skips what it does not understand, and ends a value at any #. Neither may go unnoticed. */
function refuseOddLines(text: string, path: string): void {
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < text.length) {
    const from = ENTRY.lastIndex;
    if (ENTRY.test(text)) continue;
    const line = text.slice(0, from).split('\n').length;
    throw new AppError('configuration_invalid', `${path}:${line}: this is no NAME=value line`, {
      hint: 'A value with # or quotes in it stands in quotes; a comment begins with #.',
    });
  }
}

function warnOfReaders(path: string, values: [string, string | undefined][]): string | undefined {
  const names = values.filter(([, value]) => value).map(([name]) => name);
  if (!holdsSecrets(names) || (statSync(path).mode & 0o004) === 0) return undefined;
  return `${path} holds secrets, and everybody on this machine can read it; chmod 600 would end that`;
}
