import { fileDefect } from '#src/imports/readers/file-defect.ts';
import type { Format } from '#src/imports/readers/statement.ts';

const KINDS = 'Read are CSV, OFX, QFX, QIF and CAMT.053; download the statement again as one of these.';

const BINARY: [name: string, magic: string][] = [
  ['a PDF document', '%PDF'],
  ['a ZIP archive or an Excel workbook', 'PK\u0003\u0004'],
  ['an old Excel workbook', '\u00d0\u00cf\u0011\u00e0'],
  ['gzip-compressed', '\u001f\u008b'],
];

const TEXT: [name: string, sign: RegExp][] = [
  ['an HTML page', /^\s*<(?:!doctype html|html|head|body|table)\b/i],
  ['a SWIFT MT940 statement', /^(?:\{1:F01|\s*:20:)/],
  ['JSON', /^\s*[{[]\s*(?:["{[\]}]|$)/],
];

/** Throws for what is no text at all, by its first bytes. */
export function refuseBinary(head: Buffer, label: string, encoding?: string): void {
  if (head.length === 0) throw fileDefect(label, 1, 'is empty', KINDS);
  const start = head.toString('latin1', 0, 16);
  const [name] = BINARY.find(([, magic]) => start.startsWith(magic)) ?? [];
  if (name) throw fileDefect(label, 1, `is ${name}`, KINDS);
  const utf16 = /^(?:\xff\xfe|\xfe\xff|<\0|\0<)/.test(start) || encoding?.toLowerCase().startsWith('utf-16');
  if (!utf16 && head.includes(0)) {
    const hint = `${KINDS} Text in UTF-16 without a byte order mark needs --encoding utf-16le.`;
    throw fileDefect(label, 1, 'is a binary file', hint);
  }
}

/** ISO 20022 messages that banks offer beside the statement. */
const OTHER_CAMT: Readonly<Record<string, string>> = {
  '052': 'a CAMT.052 report of the day, which is not final',
  '054': 'a CAMT.054 notification of single bookings',
};

/** A format by content, which must be the one that is asked for; every other kind is refused by its name. */
export function recogniseFormat(text: string, label: string, wanted: Format | 'auto' = 'auto'): Format {
  const format = formatOf(text, label);
  if (wanted === 'auto' || wanted === format) return format;
  const hint = `Leave out the format, or say ${format}.`;
  throw fileDefect(label, 1, `is ${NAMES[format]}, not ${NAMES[wanted]}`, hint);
}

const NAMES: Readonly<Record<Format, string>> = { csv: 'CSV', ofx: 'OFX', qif: 'QIF', camt053: 'CAMT.053' };

function formatOf(text: string, label: string): Format {
  if (/^\s*OFXHEADER\b/i.test(text) || /<OFX[\s>]|<\?OFX\b/i.test(text.slice(0, 16_384))) return 'ofx';
  if (/^\s*!(?:Type|Account|Option|Clear)\b/i.test(text)) return 'qif';
  const [name] = TEXT.find(([, sign]) => sign.test(text)) ?? [];
  if (name) throw fileDefect(label, 1, `is ${name}`, KINDS);
  return /^\s*<[?!a-z]/i.test(text) ? xmlFormat(text, label) : 'csv';
}

function xmlFormat(text: string, label: string): Format {
  const [, message, number = ''] =
    /urn:iso:std:iso:20022:tech:xsd:(\w{4})\.(\d{3})\b/.exec(text.slice(0, 16_384)) ?? [];
  if (message === 'camt' && number === '053') return 'camt053';
  if (message === undefined) throw fileDefect(label, 1, 'is XML, but neither OFX nor CAMT.053', KINDS);
  const known = message === 'camt' ? OTHER_CAMT[number] : undefined;
  const hint = 'Download the statement as CAMT.053, the end-of-day statement.';
  throw fileDefect(
    label,
    1,
    `is ${known ?? `a message ${message}.${number} of ISO 20022, no statement`}`,
    hint,
  );
}
