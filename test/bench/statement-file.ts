import { randomUUIDv7 } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

/** One line of the generated statement. */
export interface Line {
  date: string;
  cents: number;
  name: string;
}

const SHOPS = ['Grocery store', 'Coffee', 'Rent', 'Salary', 'Insurance', 'Book shop', 'Train', 'Restaurant'];
const DAY = 86_400_000;

/** Several lines a day over ten years, a few of them equal, as in life. */
export function generateLines(count: number): Line[] {
  const first = Date.UTC(2015, 0, 1);
  return Array.from({ length: count }, (_, index) => ({
    date: new Date(first + Math.floor((index * 3_650) / count) * DAY).toISOString().slice(0, 10),
    cents: ((index * 7919) % 500_000) - 400_000 || 1,
    name: `${SHOPS[index % SHOPS.length]} ${index % 9973}`,
  }));
}

export async function writeCsv(file: string, lines: Line[]): Promise<void> {
  const rows = lines.map(({ date, cents, name }) => `${date},${(cents / 100).toFixed(2)},${name}`);
  await writeFile(file, `Date,Amount,Description\n${rows.join('\n')}\n`);
}

/** The same rows as COPY takes them, in chunks of about 64 KB. Everything an import would fill is filled. */
export function copyData(lines: Line[], { familyId, accountId }: { familyId: string; accountId: string }) {
  const now = new Date().toISOString();
  const entries: string[] = [];
  const transactions: string[] = [];
  lines.forEach(({ date, cents, name }, index) => {
    const id = randomUUIDv7();
    const hash = `${String(index).padStart(22, 'h')}:1`;
    entries.push([familyId, id, accountId, date, -cents, 'USD', name, 'csv', hash].join('\t'));
    transactions.push([familyId, randomUUIDv7(), id, 'standard', now, now].join('\t'));
  });
  return { entries: chunked(entries), transactions: chunked(transactions) };
}

const LINES_PER_CHUNK = 400;

function chunked(lines: string[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < lines.length; at += LINES_PER_CHUNK) {
    chunks.push(Buffer.from(`${lines.slice(at, at + LINES_PER_CHUNK).join('\n')}\n`));
  }
  return chunks;
}
