import { readFileSync } from 'node:fs';
import type { Command } from 'commander';

/** The keys of what each command prints with `--json`, as paths: `[]` goes into a list, `.*` is any key, `?` may be missing. */
export function readJsonKeys(): Readonly<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(new URL('./json-keys.json', import.meta.url), 'utf8'));
}

/** What the help of a command says of its keys; nothing where it prints no document. */
export function jsonKeysOf(command: Command): string {
  const keys = readJsonKeys()[pathOf(command)] ?? [];
  return keys.length === 0 ? '' : `\nJSON keys: ${grouped(keys).join(', ')}`;
}

/** `a.b, a.c` as `a (b, c)`. */
function grouped(keys: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const [first = '', ...rest] = key.split('.');
    const inner = groups.get(first) ?? [];
    groups.set(first, rest.length > 0 ? [...inner, rest.join('.')] : inner);
  }
  return [...groups].map(([key, inner]) =>
    inner.length > 0 ? `${key} (${grouped(inner).join(', ')})` : key,
  );
}

/** The name without that of the program. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}
