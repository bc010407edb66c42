import { readJsonKeys } from '#cli/json-keys.ts';

/** The ways to everything in a document: `a.b`, `a[].b`; of a list those of its items. */
function jsonPaths(document: unknown): string[] {
  return Array.isArray(document) ? document.flatMap((item) => pathsIn(item, '')) : pathsIn(document, '');
}

function pathsIn(value: unknown, way: string): string[] {
  if (Array.isArray(value)) {
    return value.length === 0
      ? [`${way}[]`]
      : [...new Set(value.flatMap((item) => pathsIn(item, `${way}[]`)))];
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return way === '' ? [] : [way];
  return entries.flatMap(([key, inner]) => pathsIn(inner, way === '' ? key : `${way}.${key}`));
}

/** What of the table a command does not keep to, in words; nothing when it keeps to all of it. */
export function compareWithTable(command: string, documents: readonly unknown[]): string[] {
  const table = readJsonKeys()[command] ?? [];
  const printed = documents.map((document) => new Set(jsonPaths(document)));
  const everything = [...new Set(printed.flatMap((paths) => [...paths]))];
  const items = documents.flatMap((document) => (Array.isArray(document) ? document : [document]));
  return [
    ...everything
      .filter((path) => !table.some((key) => speaksOf(key, path)))
      .map((path) => `prints ${path}, which is not in the table`),
    ...table
      .filter((key) => !everything.some((path) => isAt(key, path)))
      .map((key) => `no longer prints ${key}`),
    ...table
      .filter((key) => !/[?.[]/.test(key) && items.some((item) => !Object.hasOwn(Object(item), key)))
      .map((key) => `does not always print ${key}`),
  ];
}

const plain = (key: string) => key.replace(/\?$/, '');

/** The path is that key; what is empty or null says no more than how it begins. */
function speaksOf(key: string, path: string): boolean {
  const known = plain(key);
  return isAt(known, path) || known.startsWith(`${path}.`) || known.startsWith(`${path}[]`);
}

function isAt(key: string, path: string): boolean {
  const known = plain(key);
  return known.endsWith('.*') ? path.startsWith(known.slice(0, -1)) : path === known;
}
