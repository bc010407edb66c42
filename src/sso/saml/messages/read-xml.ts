import { LoginRefused } from '#src/sso/login-refused.ts';
import { LARGEST_MESSAGE, scanXml, type XmlLimits } from '#src/sso/saml/messages/scan-xml.ts';
import { NAMESPACES } from '#src/sso/saml/urns.ts';

export interface XmlElement {
  namespace: string;
  /** Without prefix. */
  name: string;
  /** Those without a prefix; SAML knows no others. */
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** Its own, without that of its children. */
  text: string;
}

/** Canonical XML as it is made here takes processing instructions for text, and no message of SAML has any. */
const MESSAGE: XmlLimits = { bytes: LARGEST_MESSAGE, elements: 4_000 };

/** The root of a document. Throws `LoginRefused` where `scanXml` does. */
export function readXml(xml: string, limits = MESSAGE): XmlElement {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  scanXml(xml, limits, {
    open: ({ uri, local, attributes }) => {
      const own = Object.values(attributes).flatMap((each): [string, string][] =>
        each.prefix === '' && each.name !== 'xmlns' ? [[each.name, each.value]] : [],
      );
      const element = { namespace: uri, name: local, attributes: new Map(own), children: [], text: '' };
      open.at(-1)?.children.push(element);
      root ??= element;
      open.push(element);
    },
    close: () => void open.pop(),
    text: (text) => {
      const element = open.at(-1);
      if (element) element.text += text;
    },
  });
  if (!root) throw new LoginRefused('message_invalid', 'not well-formed');
  return root;
}

type Namespace = keyof typeof NAMESPACES;

export function isNamed(element: XmlElement, namespace: Namespace, name: string): boolean {
  return element.name === name && element.namespace === NAMESPACES[namespace];
}

export function childrenNamed(
  element: XmlElement | undefined,
  namespace: Namespace,
  name: string,
): XmlElement[] {
  return element?.children.filter((child) => isNamed(child, namespace, name)) ?? [];
}

/** At whatever depth below an element. */
export function descendantsNamed(element: XmlElement, namespace: Namespace, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(isNamed(child, namespace, name) ? [child] : []),
    ...descendantsNamed(child, namespace, name),
  ]);
}

/** The text of an element that holds nothing but text; undefined when it holds more, or nothing. */
export function textOf(element: XmlElement | undefined): string | undefined {
  if (!element || element.children.length > 0) return undefined;
  return trimBlanks(element.text) || undefined;
}

/** Blanks of XML alone: with any other at its end, a name may well be that of somebody else. */
function trimBlanks(text: string): string {
  const isBlank = (index: number) => '\t\n\r '.includes(text.charAt(index));
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** An attribute without the blanks around it; undefined when there is none, or nothing in it. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.get(name)?.trim() || undefined;
}
