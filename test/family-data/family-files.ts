import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportFamily } from '#src/family-data/export-family.ts';
import { type FamilyImportReport, importFamily } from '#src/family-data/import-family.ts';
import type { Harness } from '#test/support/database.ts';

/** The whole document a family is written as. */
export async function exported({ runtime }: Harness, familyId: string): Promise<string> {
  let document = '';
  for await (const chunk of exportFamily(runtime, familyId).chunks) document += chunk;
  return document;
}

/** A file in the system's temporary folder. */
async function fileOf(content: string | Uint8Array): Promise<string> {
  const file = join(tmpdir(), `family-${randomUUID()}.ndjson`);
  await writeFile(file, content);
  return file;
}

/** Records as lines; a text is a line as it is. */
export function ndjson(records: readonly (string | { type: string; data: object })[]): string {
  return records
    .map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`)
    .join('');
}

export async function imported(
  harness: Harness,
  into: { familyId: string } | { newFamily: string },
  content: string | Uint8Array,
  options: { dryRun?: boolean } = {},
): Promise<FamilyImportReport> {
  const file = await fileOf(content);
  return harness.perform((work) => importFamily(work, { into, file, label: 'all.ndjson' }), options);
}
