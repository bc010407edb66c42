import { readFileSync } from 'node:fs';

export function productVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String(Object(JSON.parse(text)).version);
}
