/** The amount as a decimal number in a string, which Intl formats exactly. */
export function decimalString(minorUnits: number, digits: number): `${number}` {
  const figures = String(Math.abs(minorUnits)).padStart(digits + 1, '0');
  const point = figures.length - digits;
  const text = `${minorUnits < 0 ? '-' : ''}${figures.slice(0, point)}${digits > 0 ? `.${figures.slice(point)}` : ''}`;
  if (!isDecimal(text)) throw new Error(`${text} is no decimal number`);
  return text;
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}
