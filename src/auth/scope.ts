export const SCOPES = ['read', 'read_write'] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether a key's scope covers what a request needs; `read_write` includes `read`. */
export function covers(held: string, needed: Scope): boolean {
  return held === 'read_write' || held === needed;
}
