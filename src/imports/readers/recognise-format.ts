import { fileDefect } from '#src/imports/readers/file-defect.ts';
import type { Format } from '#src/imports/readers/statement.ts';

const KINDS = 'Read are CSV, OFX and QFX; download the statement again as one of these.';

const BINARY: [name: string, magic: string][] = [
  ['a PDF document', '%PDF'],
  ['a ZIP archive or an Excel workbook', 'PK\u0003\u0004'],
  ['an old Excel workbook', '\u00d0\u00cf\u0011\u00e0'],
  ['gzip-compressed', '\u001f\u008b'],
];

const TEXT: [name: string, sign: RegExp][] = [
  ['an HTML page', /^\s*<(?:!doctype html|html|head|body|table)\b/i],
  ['an ISO 20022 CAMT statement', /urn:iso:std:iso:20022:tech:xsd:camt\.|<(?:\w+:)?BkToCstmr/],
  ['a QIF file', /^\s*!(?:Type|Account|Option|Clear)\b/i],
  ['a SWIFT MT940 statement', /^(?:\{1:F01|\s*:20:)/],
  ['JSON', /^\s*[{[]\s*(?:["{[\]}]|$)/],
];

/** Throws for what is no text at all, by its first bytes. */
export function refuseBinary(head: Buffer, label: string, encoding?: string): void {
  if (head.length === 0) throw fileDefect(label, 1, 'is empty', KINDS);
  const start = head.toString('latin1', 0, 16);
  const [name] = BINARY.find(([, magic]) => start.startsWith(magic)) ?? [];
  if (name) throw fileDefect(label, 1, `is ${name}`, KINDS);
  const utf16 = /^(?:\xff\xfe|\xfe\xff)/.test(start) || encoding?.toLowerCase().startsWith('utf-16');
  if (!utf16 && head.includes(0)) {
    const hint = `${KINDS} Text in UTF-16 without a byte order mark needs --encoding utf-16le.`;
    throw fileDefect(label, 1, 'is a binary file', hint);
  }
}

/** CSV or OFX by content; every other kind is refused by its name. */
export function recogniseFormat(text: string, label: string): Format {
  if (/^\s*OFXHEADER\b/i.test(text) || /<OFX[\s>]|<\?OFX\b/i.test(text.slice(0, 16_384))) return 'ofx';
  const [name] = TEXT.find(([, sign]) => sign.test(text)) ?? [];
  if (name) throw fileDefect(label, 1, `is ${name}`, KINDS);
  if (/^\s*<[?!a-z]/i.test(text)) throw fileDefect(label, 1, 'is XML, but not OFX', KINDS);
  return 'csv';
}
