import { randomUUIDv7 } from 'node:crypto';

/** Room for the ids that follow within the same millisecond. */
const FIRST_COUNT = 0x7ff;
const LAST_COUNT = 0xfff;

let last = '';

/**
 * A UUIDv7 that is greater than every other this process has made: what happens within one millisecond keeps its order
 * (RFC 9562, section 6.2, method 1: the 12 bits after the time count).
 */
export function newId(): string {
  const id = randomUUIDv7();
  last = timeOf(id) > timeOf(last) ? withCount(id, countOf(id) & FIRST_COUNT) : following(id);
  return last;
}

/** Later in the last millisecond that was used, even if the clock has been put back since. */
function following(id: string): string {
  const count = countOf(last) + 1;
  return count <= LAST_COUNT ? withCount(timeOf(last) + id.slice(TIME), count) : afterwards(id);
}

/** The next millisecond is borrowed when one is full. */
function afterwards(id: string): string {
  const next = (Number.parseInt(timeOf(last).replace('-', ''), 16) + 1).toString(16).padStart(12, '0');
  return withCount(`${next.slice(0, 8)}-${next.slice(8)}${id.slice(TIME)}`, 0);
}

/** `xxxxxxxx-xxxx`: 48 bits of milliseconds. */
const TIME = 13;
const COUNT = 15;

function timeOf(id: string): string {
  return id.slice(0, TIME);
}

function countOf(id: string): number {
  return Number.parseInt(id.slice(COUNT, COUNT + 3), 16);
}

function withCount(id: string, count: number): string {
  return id.slice(0, COUNT) + count.toString(16).padStart(3, '0') + id.slice(COUNT + 3);
}
