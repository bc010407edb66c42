import sax, { type QualifiedAttribute, type QualifiedTag, type SAXParser, type Tag } from 'sax';
import { LoginRefused } from '#src/sso/login-refused.ts';

export interface XmlLimits {
  /** Of the text in UTF-8. */
  bytes: number;
  /** Comments, CDATA sections and processing instructions count as elements do: a DOM has a node for each. */
  elements: number;
  /** Whether processing instructions are passed over; else they are refused. */
  instructions?: boolean | undefined;
}

/** What is to be read on the way; names are those of namespaces, never prefixes. */
export interface XmlVisitor {
  open: (tag: QualifiedTag) => void;
  close: () => void;
  /** Of text and CDATA sections; comments part a text, so there may be several in a row. */
  text: (text: string) => void;
}

/** Of a message, in bytes. */
export const LARGEST_MESSAGE = 256 * 1024;

/** Only the five entities of XML itself; what needs no DTD. */
const PARSING = { xmlns: true, position: false, strictEntities: true };
const DEEPEST = 64;
const MOST_ATTRIBUTES = 64;
/** In scope at a time: what reads XML goes through all of them at every element. */
const MOST_NAMESPACES = 32;

/** What is no character of XML (XML 1.0, section 2.2), and which a reference can name all the same. */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/**
 * Goes once through a document in time linear to its length, before anything slower touches it. Throws `LoginRefused`:
 * `message_too_large` beyond the limits, `message_invalid` for a DOCTYPE, another encoding than UTF-8, or what is not
 * well-formed.
 */
export function scanXml(xml: string, limits: XmlLimits, visitor: XmlVisitor): void {
  if (Buffer.byteLength(xml) > limits.bytes) throw tooLarge('bytes');
  const parser: SAXParser & { doctype?: unknown } = sax.parser(true, PARSING);
  Object.assign(parser, guard(limits, visitor), {
    // The parser tells of a DOCTYPE at its end, and takes an element inside for the root.
    onopentagstart: () => {
      if (parser.doctype) refuseDoctype();
    },
  });
  parser.write(xml).close();
}

type Guard = Pick<
  SAXParser,
  | 'onerror'
  | 'ondoctype'
  | 'onsgmldeclaration'
  | 'onprocessinginstruction'
  | 'oncomment'
  | 'onattribute'
  | 'onopentag'
  | 'onclosetag'
  | 'ontext'
  | 'oncdata'
  | 'onend'
>;

function guard(limits: XmlLimits, visitor: XmlVisitor): Guard {
  let nodes = 0;
  let attributes = 0;
  let hasRoot = false;
  /** Of each open element, how many namespaces are in scope. */
  const scopes: number[] = [];
  const count = () => {
    nodes += 1;
    if (nodes > limits.elements) throw tooLarge('elements');
  };
  return {
    // A parser that goes on after an error costs time and tells nothing.
    onerror: () => {
      throw invalid('not well-formed');
    },
    ondoctype: refuseDoctype,
    onsgmldeclaration: refuseDoctype,
    onprocessinginstruction: ({ name, body }) => {
      count();
      if (name.toLowerCase() === 'xml') {
        if (!isUtf8(body)) throw invalid('encoding');
      } else if (!limits.instructions) throw invalid('processing instruction');
    },
    oncomment: count,
    onattribute: () => {
      attributes += 1;
    },
    onopentag: (tag) => {
      count();
      for (const { value } of Object.values(tag.attributes)) requireCharacters(value);
      const names = Object.keys(tag.attributes);
      const isSecondRoot = hasRoot && scopes.length === 0;
      // The parser takes a second root, and of an attribute that is repeated the last.
      if (!isQualified(tag) || isSecondRoot || names.length < attributes) throw invalid('not well-formed');
      hasRoot = true;
      attributes = 0;
      if (names.length > MOST_ATTRIBUTES) throw tooLarge('attributes');
      scopes.push((scopes.at(-1) ?? 0) + names.filter((name) => /^xmlns(:|$)/.test(name)).length);
      if (scopes.length > DEEPEST) throw tooLarge('depth');
      if ((scopes.at(-1) ?? 0) > MOST_NAMESPACES) throw tooLarge('namespaces');
      visitor.open(tag);
    },
    onclosetag: () => {
      scopes.pop();
      visitor.close();
    },
    ontext: (text) => {
      requireCharacters(text);
      visitor.text(text);
    },
    oncdata: (text) => {
      count();
      requireCharacters(text);
      visitor.text(text);
    },
    onend: () => {
      if (!hasRoot) throw invalid('not well-formed');
    },
  };
}

function refuseDoctype(): never {
  throw invalid('DOCTYPE');
}

function requireCharacters(text: string): void {
  if (NO_CHARACTER.test(text)) throw invalid('not well-formed');
}

function isUtf8(declaration: string): boolean {
  const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1];
  return encoding === undefined || encoding.toLowerCase() === 'utf-8';
}

/** The parser looks prefixes up in plain objects, where `constructor` leads to no text. */
const isQualified = (tag: Tag | QualifiedTag): tag is QualifiedTag =>
  'uri' in tag && typeof tag.uri === 'string' && Object.values(tag.attributes).every(hasText);

const hasText = ({ uri }: QualifiedAttribute) => typeof uri === 'string';

const invalid = (detail: string) => new LoginRefused('message_invalid', detail);

const tooLarge = (detail: string) => new LoginRefused('message_too_large', detail);
