import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#config/env.ts';
import { SETTINGS } from '#config/settings.ts';
import { SECRET_KEY_BASE } from '#test/support/database.ts';

const OPERATION = join(import.meta.dirname, '../../config/operation');
const read = (file: string) => readFileSync(join(OPERATION, file), 'utf8');

interface Service {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  secrets: string[];
  volumes: string[];
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  ports?: string[];
  profiles?: string[];
}

interface Compose {
  services: Record<'database' | 'server' | 'archive', Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, unknown>;
}

const COMPOSE: Compose = parse(read('compose.yml'), { merge: true });
const SERVICES = Object.entries(COMPOSE.services);

/** Names of settings, `NAME_FILE` without its end. */
const named = (names: string[]) => names.map((name) => name.replace(/_FILE$/, ''));

describe('compose.yml', () => {
  test.each(SERVICES)('confines %s', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test.each(SERVICES)('declares every secret and volume of %s', (_, { secrets, volumes }) => {
    expect(Object.keys(COMPOSE.secrets)).toEqual(expect.arrayContaining(secrets));
    expect(Object.keys(COMPOSE.volumes)).toEqual(
      expect.arrayContaining(volumes.map((volume) => volume.split(':')[0])),
    );
  });

  test.each([COMPOSE.services.server, COMPOSE.services.archive])('sets what there is to set', (service) => {
    const { environment, secrets } = service;
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    const given = { DATABASE_URL: 'postgres://finance@database/finance', SECRET_KEY_BASE };

    expect(named(Object.keys(environment)).filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(files.map(([, path]) => path.replace('/run/secrets/', ''))).toEqual(secrets);
    const values = Object.fromEntries(
      Object.entries(environment).filter(([name]) => !name.endsWith('_FILE')),
    );
    expect(() => loadConfig({ ...given, ...values }, { serving: true })).not.toThrow();
  });

  test('opens ports to this machine alone, and runs the job only when asked to', () => {
    const { database, server, archive } = COMPOSE.services;

    expect(server.ports?.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
    expect([database.ports, archive.ports]).toEqual([undefined, undefined]);
    expect(archive.profiles).toEqual(['jobs']);
  });
});

test.each(['finance-server.service', 'finance-audit-archive.service'])(
  '%s sets what there is to set',
  (unit) => {
    const names = [...read(unit).matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);

    expect(names.length).toBeGreaterThan(3);
    expect(named(names).filter((name) => !(name in SETTINGS))).toEqual(['NODE_COMPILE_CACHE']);
  },
);

test('the job is the same command by compose, systemd and cron', () => {
  const job = [
    'financectl audit archive --quiet --no-input',
    'financectl audit prune --yes --quiet --no-input',
  ];

  expect(COMPOSE.services.archive.command).toEqual(['sh', '-c', job.join(' && ')]);
  const started = [...read('finance-audit-archive.service').matchAll(/^ExecStart=(.*)$/gm)];
  expect(started.map(([, line]) => line)).toEqual(job.map((command) => `/opt/finance/bin/${command}`));
  const lines = read('crontab')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const inTurn = job.map((command) => `./bin/${command}`).join(' && ');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.startsWith(`17 3 * * * cd /opt/finance && ${inTurn} || logger `)).toBe(true);
});
