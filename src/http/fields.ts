import { readBody } from '#src/http/middleware/bound-body.ts';
import type { Context } from '#src/http/state.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';

/** The plain text fields of a form or of a flat JSON object; nothing else comes in. */
export type Fields = ReadonlyMap<string, string>;

/** Reads a form as browsers send it. A repeated field is refused, and so is any other media type. */
export async function readForm(ctx: Context): Promise<Fields> {
  if (!ctx.is('application/x-www-form-urlencoded')) throw unsupported('application/x-www-form-urlencoded');
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readText(ctx))) {
    if (fields.has(name)) throw invalid([`${shown(name)}: given more than once`]);
    fields.set(name, requirePlain(name, value));
  }
  return fields;
}

/** Reads a JSON object whose values are strings, or a form. */
export async function readFields(ctx: Context): Promise<Fields> {
  if (!ctx.is('application/json')) {
    if (ctx.is('application/x-www-form-urlencoded')) return readForm(ctx);
    throw unsupported('application/json or application/x-www-form-urlencoded');
  }
  const fields = new Map<string, string>();
  const { text, value: object } = await readObject(ctx);
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'string') throw invalid([`${shown(name)}: must be a string`]);
    fields.set(name, requirePlain(name, value));
  }
  refuseRepeats(text, fields.size);
  return fields;
}

/** A field that must be there; `validation_failed` names it otherwise. */
export function requireField(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw invalid([`${name}: must be given`]);
  return value;
}

async function readObject(ctx: Context): Promise<{ text: string; value: object }> {
  const text = await readText(ctx);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What could not be read may hold a password, so it is not repeated.
    throw invalid(['the body: is not JSON']);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(['the body: must be a JSON object']);
  }
  return { text, value };
}

/** JSON.parse keeps the last of several fields of one name, without a word. For objects of strings alone. */
function refuseRepeats(text: string, fields: number): void {
  const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined);
  if (names.length > fields) throw invalid(['the body: has a field more than once']);
}

async function readText(ctx: Context): Promise<string> {
  const encoding = ctx.get('Content-Encoding');
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw unsupported('sent without Content-Encoding');
  const { charset } = ctx.request;
  if (charset !== '' && !/^utf-?8$/i.test(charset)) throw unsupported('UTF-8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBody(ctx));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid(['the body: is not UTF-8']);
  }
}

/** PostgreSQL cannot keep NUL, and no field needs it. */
function requirePlain(name: string, value: string): string {
  if (value.includes('\0')) throw invalid([`${shown(name)}: must be plain text`]);
  return value;
}

/** A field's name comes from outside too. */
function shown(name: string): string {
  return name.replace(/[^\w-]/g, '?').slice(0, 40);
}

function unsupported(expected: string): AppError {
  return new AppError('unsupported_media_type', `The request body must be ${expected}`);
}
