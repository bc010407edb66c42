import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { decodeEntities } from '#src/imports/readers/ofx/decode-entities.ts';

/** What an OFX file consists of. Names are upper case; a value is the text that follows an opening tag. */
export interface OfxHandler {
  open: (name: string, line: number) => void;
  close: (name: string, line: number) => void;
  value: (name: string, text: string) => void;
}

const MAX_ELEMENT = 64 * 1024;
const UNFINISHED = -1;
const [EXCLAMATION, SLASH, QUESTION] = [33, 47, 63];

/**
 * One tokenizer for SGML (OFX 1.x, where values need no closing tag) and XML (2.x). It holds one element at most.
 * Declarations are refused, so there is no DTD and no entity beyond the built-in ones.
 */
export class OfxTokenizer {
  readonly #label: string;
  readonly #handler: OfxHandler;
  #buffer = '';
  /** How far lines are counted. */
  #counted = 0;
  #line = 1;
  /** The last opening tag and the text after it, until the next tag. */
  #leaf = '';
  #text = '';

  constructor(label: string, handler: OfxHandler) {
    this.#label = label;
    this.#handler = handler;
  }

  write(piece: string): void {
    this.#buffer += piece;
    let start = 0;
    let tag = this.#buffer.indexOf('<');
    while (tag !== -1) {
      this.#countLines(tag);
      const end = this.#markupEnd(tag);
      if (end === UNFINISHED) break;
      if (end > tag) {
        this.#text += this.#buffer.slice(start, tag);
        this.#take(tag, end);
        start = end;
      }
      tag = this.#buffer.indexOf('<', Math.max(end, tag + 1));
    }
    this.#buffer = this.#buffer.slice(start);
    this.#counted -= start;
    if (this.#buffer.length + this.#text.length > MAX_ELEMENT) {
      const hint = 'The file is damaged; download the statement again.';
      throw fileDefect(this.#label, this.#line, `an element holds more than ${MAX_ELEMENT} characters`, hint);
    }
  }

  /** The last line. */
  end(): number {
    this.#countLines(this.#buffer.length);
    return this.#line;
  }

  /** The index after the markup at `tag`; `tag` itself when this `<` is only text, as in `A < B`. */
  #markupEnd(tag: number): number {
    const code = this.#buffer.charCodeAt(tag + 1);
    if (Number.isNaN(code)) return UNFINISHED;
    if (code === EXCLAMATION) return this.#after(this.#declarationEnd(tag), tag);
    if (code === QUESTION) return this.#after('?>', tag);
    if (code !== SLASH && !isLetter(code)) return tag;
    const end = this.#buffer.indexOf('>', tag);
    if (end === -1) return UNFINISHED;
    return this.#buffer.lastIndexOf('<', end) === tag ? end + 1 : tag;
  }

  #declarationEnd(tag: number): string {
    const start = this.#buffer.slice(tag, tag + 9);
    if (start.startsWith('<!--')) return '-->';
    if (start === '<![CDATA[') return ']]>';
    // Cut off by the end of the piece: wait for more.
    if ('<!--'.startsWith(start) || '<![CDATA['.startsWith(start)) return '>';
    const hint = 'OFX needs no document type; remove it, or download the statement again.';
    throw fileDefect(this.#label, this.#line, 'has a document type or entity declaration', hint);
  }

  #after(terminator: string, tag: number): number {
    const end = this.#buffer.indexOf(terminator, tag + 2);
    return end === -1 ? UNFINISHED : end + terminator.length;
  }

  #take(tag: number, end: number): void {
    const code = this.#buffer.charCodeAt(tag + 1);
    if (code === QUESTION) return;
    if (code === EXCLAMATION) {
      // Entities are decoded later, so the literal text of CDATA is encoded here.
      if (this.#buffer[tag + 2] === '[')
        this.#text += this.#buffer.slice(tag + 9, end - 3).replaceAll('&', '&amp;');
      return;
    }
    this.#flush();
    const empty = this.#buffer[end - 2] === '/';
    const name = tagName(this.#buffer.slice(tag + (code === SLASH ? 2 : 1), end - (empty ? 2 : 1)));
    if (code !== SLASH) this.#handler.open(name, this.#line);
    if (code === SLASH || empty) this.#handler.close(name, this.#line);
    else this.#leaf = name;
  }

  #flush(): void {
    const value = this.#leaf === '' ? '' : this.#text.trim();
    if (value !== '') this.#handler.value(this.#leaf, value.includes('&') ? decodeEntities(value) : value);
    this.#text = '';
    this.#leaf = '';
  }

  #countLines(until: number): void {
    let at = this.#buffer.indexOf('\n', this.#counted);
    for (; at !== -1 && at < until; at = this.#buffer.indexOf('\n', this.#counted)) {
      this.#line += 1;
      this.#counted = at + 1;
    }
    this.#counted = Math.max(this.#counted, until);
  }
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function tagName(inside: string): string {
  const space = inside.search(/\s/);
  return (space === -1 ? inside : inside.slice(0, space)).toUpperCase();
}
