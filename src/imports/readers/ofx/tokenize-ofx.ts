import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { decodeEntities } from '#src/imports/readers/ofx/decode-entities.ts';

/** What an OFX file consists of. Names are upper case; a value is the text that follows an opening tag. */
export interface OfxHandler {
  open: (name: string, line: number) => void;
  close: (name: string, line: number) => void;
  value: (name: string, text: string, line: number) => void;
}

export interface OfxTokenizer {
  write: (piece: string) => void;
  /** The last line. */
  end: () => number;
}

const MAX_ELEMENT = 64 * 1024;
const UNFINISHED = -1;

/**
 * One tokenizer for SGML (OFX 1.x, closing tags of values optional, section 2.3.2 of OFX 1.6) and XML (2.x). It holds
 * one element at most. Declarations are refused, so there is no DTD and no entity beyond the built-in ones.
 */
export function tokenizeOfx(label: string, handler: OfxHandler): OfxTokenizer {
  let buffer = '';
  let text = '';
  let leaf = '';
  let leafLine = 1;
  let line = 1;
  let counted = 0;

  function write(piece: string): void {
    buffer += piece;
    let start = 0;
    let search = 0;
    for (;;) {
      const tag = buffer.indexOf('<', search);
      if (tag === -1) break;
      countLines(tag);
      const code = buffer.charCodeAt(tag + 1);
      if (Number.isNaN(code)) break;
      if (!isTagStart(code)) {
        search = tag + 1; // `A < B`, unescaped
        continue;
      }
      const end = markupEnd(tag, code);
      if (end === UNFINISHED) break;
      if (end === tag) {
        search = tag + 1;
        continue;
      }
      text += buffer.slice(start, tag);
      take(tag, end);
      start = search = end;
    }
    buffer = buffer.slice(start);
    counted -= start;
    if (buffer.length + text.length > MAX_ELEMENT) {
      const hint = 'Download the statement again; the file is damaged.';
      throw fileDefect(label, line, `<${leaf}> holds more than ${MAX_ELEMENT} characters`, hint);
    }
  }

  /** Index after the markup at `tag`; `tag` itself when this `<` is only text. */
  function markupEnd(tag: number, code: number): number {
    if (code === 33) return after(declarationEnd(tag), tag);
    if (code === 63) return after('?>', tag);
    const end = buffer.indexOf('>', tag);
    if (end === -1) return UNFINISHED;
    const nested = buffer.lastIndexOf('<', end);
    return nested === tag ? end + 1 : tag;
  }

  function declarationEnd(tag: number): string {
    const start = buffer.slice(tag, tag + 9);
    if (start.startsWith('<!--')) return '-->';
    if (start === '<![CDATA[') return ']]>';
    if ('<!--'.startsWith(start) || '<![CDATA['.startsWith(start)) return '>';
    const hint = 'OFX has no document type; a file with one is not read.';
    throw fileDefect(label, line, 'has a document type or entity declaration', hint);
  }

  function after(terminator: string, tag: number): number {
    const end = buffer.indexOf(terminator, tag + 2);
    return end === -1 ? UNFINISHED : end + terminator.length;
  }

  function take(tag: number, end: number): void {
    const code = buffer.charCodeAt(tag + 1);
    if (code === 33) {
      if (buffer[tag + 2] === '[') text += buffer.slice(tag + 9, end - 3).replaceAll('&', '&amp;');
      return;
    }
    if (code === 63) return;
    flush();
    const closing = code === 47;
    const selfClosing = buffer[end - 2] === '/';
    const name = tagName(buffer.slice(tag + (closing ? 2 : 1), end - (selfClosing ? 2 : 1)));
    if (closing) return handler.close(name, line);
    handler.open(name, line);
    if (selfClosing) return handler.close(name, line);
    leaf = name;
    leafLine = line;
  }

  function flush(): void {
    const value = leaf === '' ? '' : text.trim();
    text = '';
    const name = leaf;
    leaf = '';
    if (value !== '') handler.value(name, value.includes('&') ? decodeEntities(value) : value, leafLine);
  }

  function countLines(until: number): void {
    let at = buffer.indexOf('\n', counted);
    for (; at !== -1 && at < until; at = buffer.indexOf('\n', counted)) {
      line += 1;
      counted = at + 1;
    }
    counted = Math.max(counted, until);
  }

  return {
    write,
    end() {
      countLines(buffer.length);
      return line;
    },
  };
}

/** A letter, `/`, `!` or `?`. */
function isTagStart(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || code === 47 || code === 33 || code === 63;
}

function tagName(inside: string): string {
  const space = inside.search(/\s/);
  return (space === -1 ? inside : inside.slice(0, space)).toUpperCase();
}
