import { DOMParser } from '@xmldom/xmldom';

export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';

/** Bindings that go through the browser (SAML Bindings, sections 3.4 and 3.5). */
export const BINDING_URNS = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const;

/** The root element; undefined when the text is not well-formed XML. It must have been scanned before. */
export function parseRoot(xml: string): Element | undefined {
  try {
    return (
      new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } }).parseFromString(
        xml,
        'text/xml',
      ).documentElement ?? undefined
    );
  } catch {
    return undefined;
  }
}

function refuse(): never {
  throw new Error('not well-formed');
}

/** The children of that name, in order. */
export function childrenOf(parent: Element, namespace: string, name: string): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (isElement(node) && isNamed(node, namespace, name)) found.push(node);
  }
  return found;
}

export function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.namespaceURI === namespace && element.localName === name;
}

/** An attribute without the blanks around it; undefined when there is none, or nothing in it. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.getAttribute(name)?.trim() || undefined;
}

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}
