import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '#config/env.ts';
import { SETTINGS, type Setting } from '#config/settings.ts';
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
  /** What somebody should know about the file. */
  warning: string | undefined;
}

/** The environment, completed by one file of `NAME=value` lines. Both doors read their variables here. */
export function loadEnvironment({ env, file, standardFile }: EnvironmentSources): LoadedEnvironment {
  const path = file ?? standardFile;
  const text = path === undefined ? undefined : readFile(path, file !== undefined);
  if (path === undefined || text === undefined) {
    return { env, file: undefined, fromFile: new Set(), warning: undefined };
  }
  refuseOddLines(text, path);
  const values = Object.entries(parseEnv(text)).filter(([name]) => !isSetIn(env, name));
  return {
    env: { ...Object.fromEntries(values), ...env },
    file: resolve(path),
    fromFile: new Set(values.map(([name]) => name)),
    warning: warnOfReaders(path, values),
  };
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

const PUBLIC = new Set(
  Object.entries<Setting<unknown>>(SETTINGS)
    .filter(([, { secret }]) => !secret)
    .map(([name]) => name),
);

/** Names that are no settings are what the providers' file refers to: client secrets, mostly. */
function warnOfReaders(path: string, values: [string, string | undefined][]): string | undefined {
  const holdsSecrets = values.some(([name, value]) => value && !PUBLIC.has(name) && !name.endsWith('_FILE'));
  if (!holdsSecrets || (statSync(path).mode & 0o004) === 0) return undefined;
  return `${path} holds secrets, and everybody on this machine can read it; chmod 600 would end that`;
}
