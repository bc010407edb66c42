import sax, { type QualifiedTag, type SAXParser, type Tag } from 'sax';
import { fileDefect } from '#src/imports/readers/file-defect.ts';

export interface XmlHandler {
  /** Whether the text of this element is wanted. */
  open: (tag: QualifiedTag) => boolean;
  /** With the text after the last tag inside, if it was wanted. */
  close: (text: string) => void;
}

/** Only the five entities of XML itself. */
const PARSING = { xmlns: true, position: true, strictEntities: true };
const LONGEST = 64 * 1024;
const DEEPEST = 64;
const MOST_ATTRIBUTES = 64;
/** In scope at a time: the parser goes through all of them at every element. */
const MOST_NAMESPACES = 32;
const TOO_LONG = `an element holds more than ${LONGEST} characters`;
const AGAIN = 'The file is damaged; download the statement again.';
const NO_DOCTYPE = 'A statement needs no document type; remove it, or download the statement again.';

/** XML in pieces; holds one element at most. Whatever is wrong throws validation_failed by line. */
export class XmlReader {
  readonly #label: string;
  readonly #handler: XmlHandler;
  /** Its types leave out `doctype`: what was read of a document type, even of one without an end. */
  readonly #parser: SAXParser & { doctype?: string | true } = sax.parser(true, PARSING);
  #position = { line: 1, column: 1 };
  /** The names of the open elements. */
  readonly #open: string[] = [];
  #hasRoot = false;
  #attributes = 0;
  #namespaces = 0;
  #text = '';
  #isWanted = false;

  constructor(label: string, handler: XmlHandler) {
    this.#label = label;
    this.#handler = handler;
    // One by one: after Object.assign the parser takes twice the time.
    /* oxlint-disable unicorn/prefer-add-event-listener -- it has no such method */
    const parser = this.#parser;
    parser.onopentagstart = () => this.#startTag();
    parser.onopennamespace = () => this.#countNamespaces(1);
    parser.onclosenamespace = () => this.#countNamespaces(-1);
    parser.onattribute = () => {
      this.#attributes += 1;
    };
    parser.onopentag = (tag) => this.#openTag(tag);
    parser.onclosetag = () => this.#closeTag();
    parser.ontext = (text) => this.#takeText(text);
    parser.onopencdata = () => this.#requireElement();
    parser.oncdata = (text) => this.#takeText(text);
    parser.ondoctype = () => this.#refuseDoctype();
    parser.onsgmldeclaration = () => this.#refuseDoctype();
    parser.onerror = ({ message }) => this.#refuse(this.#reason(message));
    /* oxlint-enable unicorn/prefer-add-event-listener */
  }

  /** Where the latest opening tag begins, counted from 1. */
  get position(): { line: number; column: number } {
    return this.#position;
  }

  write(piece: string): void {
    this.#parser.write(piece);
    if (this.#isLong()) this.#refuse(TOO_LONG);
  }

  /** Throws unless the document is whole. */
  end(): void {
    const open = this.#open.at(-1);
    if (open !== undefined) this.#refuse(`ends before </${open.slice(0, 60)}>: it is cut off`);
    if (!this.#hasRoot) this.#refuse('holds no XML element');
    this.#position = { line: this.#parser.line + 1, column: 1 };
    this.#parser.close();
  }

  defect(why: string, hint = AGAIN): Error {
    return fileDefect(this.#label, this.#position.line, why, hint);
  }

  #startTag(): void {
    const { line, column, position, startTagPosition, doctype } = this.#parser;
    // The parser takes an element inside an open DTD for the root.
    if (doctype) this.#refuseDoctype();
    const start = column - (position - startTagPosition);
    // A line end right after the name is behind us, and the column with it.
    this.#position = start > 0 ? { line: line + 1, column: start } : { line, column: 1 };
    this.#attributes = 0;
  }

  #openTag(tag: Tag | QualifiedTag): void {
    if (this.#hasRoot && this.#open.length === 0) this.#refuse('has a second root element');
    if (this.#open.length >= DEEPEST) this.#refuse(`has more than ${DEEPEST} elements inside each other`);
    if (this.#attributes > MOST_ATTRIBUTES)
      this.#refuse(`has a tag of more than ${MOST_ATTRIBUTES} attributes`);
    // Of those that are repeated the parser keeps one.
    const isRepeated = this.#attributes > 1 && Object.keys(tag.attributes).length < this.#attributes;
    if (isRepeated || !isQualified(tag)) return void this.#refuse(this.#reason());
    this.#hasRoot = true;
    this.#open.push(tag.name);
    this.#text = '';
    this.#isWanted = this.#handler.open(tag);
  }

  #closeTag(): void {
    this.#open.pop();
    this.#handler.close(this.#text);
    this.#text = '';
    this.#isWanted = false;
  }

  #takeText(text: string): void {
    if (!this.#isWanted) return;
    this.#text += text;
    if (this.#text.length > LONGEST) this.#refuse(TOO_LONG);
  }

  #countNamespaces(more: number): void {
    this.#namespaces += more;
    if (this.#namespaces > MOST_NAMESPACES) this.#refuse(`has more than ${MOST_NAMESPACES} namespaces`);
  }

  /** The parser takes CDATA anywhere. */
  #requireElement(): void {
    if (this.#open.length === 0) this.#refuse(this.#reason());
  }

  /** No tag for so long, or no end of one. */
  #isLong(): boolean {
    return this.#parser.position - this.#parser.startTagPosition > LONGEST;
  }

  /** In words of our own: those of the parser may hold parts of the file. */
  #reason(message = ''): string {
    if (this.#isLong()) return TOO_LONG;
    if (/^Invalid character (?:in )?entity/.test(message)) return 'has an & that begins no entity of XML';
    const open = this.#open.at(-1);
    if (this.#hasRoot && open === undefined) return 'goes on after its last element';
    const where = open === undefined ? 'outside of its elements' : `inside <${open.slice(0, 60)}>`;
    return `is not well-formed ${where}, at column ${this.#parser.column}`;
  }

  #refuseDoctype(): never {
    return this.#refuse('has a document type or entity declaration', NO_DOCTYPE);
  }

  #refuse(why: string, hint?: string): never {
    this.#position = { line: this.#parser.line + 1, column: this.#parser.column };
    throw this.defect(why, hint);
  }
}

/** The parser finds a namespace of some kind for prefixes like `constructor`. */
function isQualified(tag: Tag | QualifiedTag): tag is QualifiedTag {
  return 'uri' in tag && typeof tag.uri === 'string';
}
