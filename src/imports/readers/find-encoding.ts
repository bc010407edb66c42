import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { isUtf8File } from '#src/imports/readers/read-text.ts';

interface EncodingQuestion {
  path: string;
  label: string;
  head: Buffer;
  given?: string | undefined;
}

/**
 * A TextDecoder label. Valid UTF-8 is taken as UTF-8 whatever an OFX header claims: text of another encoding with any
 * letter beyond ASCII practically never is, and banks do send UTF-8 under CHARSET:1252.
 */
export async function findEncoding({ path, label, head, given }: EncodingQuestion): Promise<string> {
  if (given !== undefined) return checkedEncoding(given, label);
  // A byte order mark, or the < that begins XML (XML 1.0, appendix F).
  const start = head.toString('latin1', 0, 2);
  if (start === '\xff\xfe' || start === '<\0') return 'utf-16le';
  if (start === '\xfe\xff' || start === '\0<') return 'utf-16be';
  if (await isUtf8File(path, label)) return 'utf-8';
  return declaredEncoding(head.toString('latin1', 0, 2000)) ?? 'windows-1252';
}

function checkedEncoding(given: string, label: string): string {
  try {
    return new TextDecoder(given).encoding;
  } catch {
    const hint = 'Common ones are utf-8, windows-1252, iso-8859-15, utf-16le.';
    throw fileDefect(label, 1, `encoding ${JSON.stringify(given)} is not known`, hint);
  }
}

/** OFX 1.6 section 2.2.1 (CHARSET:1252, often without line ends) or the XML declaration. */
function declaredEncoding(start: string): string | undefined {
  const charset = /CHARSET:\s*([A-Z0-9-]+?)\s*(?:COMPRESSION|<|[\r\n])/i.exec(start)?.[1];
  const declared = charset ?? /<\?xml[^>]*\bencoding=["']([\w-]+)["']/i.exec(start)?.[1];
  if (declared === undefined) return undefined;
  const name = /^125\d$/.test(declared) ? `windows-${declared}` : declared.replace(/^8859/, 'iso-8859');
  try {
    const { encoding } = new TextDecoder(name);
    return encoding === 'utf-8' ? undefined : encoding;
  } catch {
    return undefined;
  }
}
