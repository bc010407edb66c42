type Table = readonly (readonly [RegExp, string])[];

/** Most browsers claim to be others too, so whoever is claimed to be by fewest comes first. */
const BROWSERS: Table = [
  [/\b(Edg|Edge|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];

const SYSTEMS: Table = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const LONGEST = 40;

/** Browser and system in words that their owner knows, as `Firefox on Windows`; of other programs what they call themselves. */
export function browserName(userAgent: string | null): string {
  const text = userAgent?.trim() ?? '';
  const browser = find(BROWSERS, text);
  const system = find(SYSTEMS, text);
  if (browser && system) return `${browser} on ${system}`;
  const [first = ''] = text.split(/[\s/(]/);
  return browser ?? system ?? (first.slice(0, LONGEST) || 'Unknown');
}

function find(table: Table, text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
