/** JSON whose whole numbers are exact: those too large for a number stay the text they were, such as ids of 64 bits. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, keepLargeNumbers);
}

/** The context has the text of the number; TypeScript's own types do not know it yet. */
function keepLargeNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  const inexact = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return inexact ? source : value;
}
