import { gunzipSync } from 'node:zlib';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { readHead } from '#src/imports/readers/read-text.ts';

const ZIP = 'PK\u0003\u0004';
/** What such an archive begins with. */
const ZIPPED_FIRST = ['version.txt', 'accounts.csv', 'all.ndjson'];

/**
 * Whether a file holds a family's data rather than a bank statement, by its beginning. An archive of Sure's is refused
 * with what to do about it; every other archive too, when the file was called family data (`isSaid`).
 */
export async function isFamilyData(file: string, label: string, isSaid: boolean): Promise<boolean> {
  const { head, whole } = await readHead(file, label);
  const start = head.toString('latin1', 0, 64);
  if (start.startsWith(ZIP) && (isSaid || ZIPPED_FIRST.some((name) => start.startsWith(name, 30)))) {
    const hint = `Take the data out of it: unzip -p export.zip all.ndjson | financectl import - --format sure`;
    throw fileDefect(label, 1, 'is a ZIP archive', hint);
  }
  if (isSaid) return true;
  const bytes = start.startsWith('\u001f\u008b') ? unzipped(head, whole) : head;
  return /^\ufeff?\s*\{\s*"(?:type|data)"\s*:/.test(bytes.toString('utf8', 0, 4_096));
}

/** As much as the beginning of a gzipped file tells; nothing when it is damaged, or grows beyond all measure. */
function unzipped(head: Buffer, whole: boolean): Buffer {
  try {
    const options = whole ? {} : { finishFlush: 2 };
    return gunzipSync(head, { ...options, maxOutputLength: 64 * head.length });
  } catch {
    return Buffer.alloc(0);
  }
}
