export type DetectedDecimal = '.' | ',' | 'ambiguous' | 'mixed';

/**
 * Which mark these amounts have before their fraction. 1.234 and 1,234 alone say nothing, unless the currency has three
 * digits; numbers without marks are fine either way.
 */
export function detectDecimal(samples: readonly string[], currencyDigits: number): DetectedDecimal {
  let doubt = false;
  const votes = new Set<'.' | ','>();
  for (const sample of samples) {
    const [number = ''] = /(?:\d|[.,](?=\d))[\d.,'’ \u00a0\u202f]*/.exec(sample) ?? [];
    const vote = voteOf(number.replace(/[^\d.,]/g, ''), currencyDigits);
    if (vote === 'doubt') doubt = true;
    else if (vote) votes.add(vote);
  }
  if (votes.size === 2) return 'mixed';
  const [decimal] = votes;
  return decimal ?? (doubt ? 'ambiguous' : '.');
}

function voteOf(number: string, currencyDigits: number): '.' | ',' | 'doubt' | undefined {
  const point = number.lastIndexOf('.');
  const comma = number.lastIndexOf(',');
  const last = Math.max(point, comma);
  if (last === -1) return undefined;
  const mark = point > comma ? '.' : ',';
  const other = mark === '.' ? ',' : '.';
  if (point !== -1 && comma !== -1) return mark;
  if (number.indexOf(mark) !== last) return other;
  if (number.length - last - 1 !== 3 || currencyDigits === 3) return mark;
  // Groups begin with one to three digits, and not with a zero.
  return last === 0 || last > 3 || number.startsWith('0') ? mark : 'doubt';
}
