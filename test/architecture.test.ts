import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const ORM = ['@mikro-orm/core', '@mikro-orm/postgresql', '@mikro-orm/migrations', 'kysely'];

interface Room {
  /** Rooms it may import. */
  rooms: string[];
  /** Packages it may import; Node's own are free. */
  packages: string[];
}

/** The import table of ARCHITECTURE.md: imports only go downhill. */
const ROOMS: Record<string, Room> = {
  config: { rooms: ['src/kernel'], packages: [] },
  'src/kernel': { rooms: [], packages: ['pg', 'pino', ...ORM] },
  'src/embedded': { rooms: ['src/kernel'], packages: ['pg'] },
  'src/database': { rooms: ['src/kernel'], packages: ['pg', ...ORM] },
  'src/ledger': { rooms: ['src/kernel'], packages: ['@mikro-orm/core'] },
  'src/audit': {
    rooms: ['src/kernel'],
    packages: ['@mikro-orm/core', '@aws-sdk/client-s3', 'pg', 'pg-cursor'],
  },
  'src/mail': { rooms: ['src/kernel'], packages: ['nodemailer'] },
  'src/users': { rooms: ['src/kernel', 'src/audit'], packages: ['@mikro-orm/core'] },
  'src/auth': { rooms: ['src/kernel', 'src/audit', 'src/users'], packages: ['@mikro-orm/core'] },
  'src/sso': {
    rooms: ['src/kernel', 'src/audit', 'src/ledger', 'src/users'],
    packages: [
      '@mikro-orm/core',
      'openid-client',
      'yaml',
      '@node-saml/node-saml',
      '@xmldom/xmldom',
      'sax',
      'piscina',
      'selfsigned',
    ],
  },
  'src/imports': { rooms: ['src/kernel', 'src/ledger'], packages: ['@mikro-orm/core', 'csv-parse', 'sax'] },
  'src/family-data': {
    rooms: ['src/kernel', 'src/ledger', 'src/imports'],
    packages: ['pg', 'pg-cursor'],
  },
  'src/demo': {
    rooms: ['src/kernel', 'src/audit', 'src/ledger', 'src/users', 'src/auth', 'src/imports'],
    packages: [],
  },
  'src/backup': {
    rooms: ['src/kernel', 'src/database', 'src/embedded', 'src/audit'],
    packages: ['pg', 'tar-stream'],
  },
  'src/doctor': {
    rooms: ['src/kernel', 'src/audit', 'src/database', 'src/embedded', 'src/mail', 'src/sso'],
    packages: ['pg'],
  },
  'src/orm.ts': {
    rooms: ['src/kernel', 'src/audit', 'src/ledger', 'src/users', 'src/auth', 'src/sso', 'src/imports'],
    packages: ['pg', ...ORM],
  },
  'src/runtime.ts': {
    rooms: ['config', 'src/kernel', 'src/database', 'src/embedded', 'src/orm.ts'],
    packages: ['pg', ...ORM],
  },
  'src/reachable-database.ts': { rooms: ['src/kernel', 'src/embedded'], packages: [] },
  'src/http': {
    rooms: [
      'config',
      'src/kernel',
      'src/database',
      'src/audit',
      'src/ledger',
      'src/auth',
      'src/users',
      'src/mail',
      'src/sso',
    ],
    packages: ['koa', '@koa/router', 'koa-session', 'zod', '@prometheus-io/client'],
  },
  'src/serve': {
    rooms: ['config', 'src/kernel', 'src/audit', 'src/runtime.ts', 'src/http'],
    packages: [],
  },
  'src/server.ts': { rooms: ['src/kernel', 'src/serve'], packages: [] },
  'src/worker.ts': { rooms: ['src/kernel', 'src/serve'], packages: [] },
  cli: {
    rooms: [
      'config',
      'src/kernel',
      'src/database',
      'src/embedded',
      'src/audit',
      'src/mail',
      'src/ledger',
      'src/users',
      'src/auth',
      'src/sso',
      'src/imports',
      'src/family-data',
      'src/demo',
      'src/backup',
      'src/doctor',
      'src/runtime.ts',
      'src/reachable-database.ts',
    ],
    packages: ['commander', 'inquirer', 'cli-table3', 'pg', 'yaml'],
  },
  migrations: { rooms: [], packages: ['@mikro-orm/migrations'] },
};

const FILES = ['config', 'src', 'cli', 'migrations'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);

/** The room of a file or of what a `#…` import names; files that are a room of their own come first. */
function roomOf(path: string): string {
  const room = path in ROOMS ? path : Object.keys(ROOMS).find((name) => path.startsWith(`${name}/`));
  return room ?? path;
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^'\s]+)'/g)].flatMap(([, name]) => name ?? []);
}

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

test('every file belongs to a room of the table', () => {
  expect(FILES.filter((file) => !(roomOf(file) in ROOMS))).toEqual([]);
});

describe('imports only go downhill', () => {
  test.each(FILES)('%s', (file) => {
    const room = roomOf(file);
    const { rooms, packages } = ROOMS[room] ?? { rooms: [], packages: [] };
    const wrong = importsOf(file).filter((name) => {
      if (name.startsWith('node:')) return false;
      if (name.startsWith('.')) return true;
      if (!name.startsWith('#')) return !packages.includes(packageOf(name));
      const target = roomOf(name.slice(1));
      return target !== room && !rooms.includes(target);
    });

    expect(wrong).toEqual([]);
  });
});
