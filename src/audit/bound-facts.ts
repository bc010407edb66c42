import { stripUnsafe } from '#src/kernel/safe-text.ts';

/** Characters kept of any text; what is longer says nothing more about what happened. */
const LONGEST = 500;
const DEEPEST = 5;

/** Text from outside as the audit log keeps it: one line of at most 500 characters, without control characters. */
export function boundText(text: string): string {
  return stripUnsafe(text.slice(0, 2 * LONGEST))
    .slice(0, LONGEST)
    .toWellFormed();
}

/** Metadata with every text in it bounded, however deep it lies. */
export function boundFacts(metadata: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, bound(value, depth)]));
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return boundText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return boundText(JSON.stringify(value));
  return Array.isArray(value)
    ? value.map((item) => bound(item, depth + 1))
    : boundFacts({ ...value }, depth + 1);
}
