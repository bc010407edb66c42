import { LoginRefused } from '#src/sso/login-refused.ts';
import { scanXml, type XmlLimits } from '#src/sso/saml/scan-xml.ts';

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

export const NAMESPACES = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
} as const;

/** The root of a message. Throws `LoginRefused` where `scanXml` does. */
export function readXml(xml: string, limits?: XmlLimits): XmlElement {
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
    // Canonical XML as it is made here takes them for text, and no message of SAML has any.
    instruction: () => {
      throw new LoginRefused('message_invalid', 'processing instruction');
    },
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
  return element.text.trim() || undefined;
}
