import { describe, expect, test } from 'vitest';
import { scanXml } from '#src/sso/saml/messages/scan-xml.ts';

const LIMITS = { bytes: 10_000, elements: 100, instructions: true };
const scan = (xml: string) =>
  scanXml(xml, LIMITS, { open: () => undefined, close: () => undefined, text: () => undefined });

describe('a document that other parsers may read otherwise', () => {
  test.each([
    ['a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['an element inside a DOCTYPE without an end', '<!DOCTYPE a [<a>x</a>'],
    ['an instruction inside one', '<!DOCTYPE a [<?p?><a>x</a>'],
    ['an entity inside one', '<!DOCTYPE a [<!ENTITY e "v"><a>x</a>'],
  ])('is refused with %s', (_, xml) => {
    expect(() => scan(xml)).toThrow(expect.objectContaining({ detail: 'DOCTYPE' }));
  });

  test.each([
    ['of an element', '<constructor:a/>'],
    ['of an element, from the prototype', '<__proto__:a/>'],
    ['of an attribute', '<a constructor:b="c"/>'],
  ])('is refused with a prefix nobody has declared: %s', (_, xml) => {
    expect(() => scan(xml)).toThrow(expect.objectContaining({ detail: 'not well-formed' }));
  });

  test('is refused with an entity inside it', () => {
    expect(() => scan('<a><!ENTITY e "v"></a>')).toThrow(
      expect.objectContaining({ reason: 'message_invalid' }),
    );
  });

  test('is read when it has none of this', () => {
    expect(() => scan('<?xml version="1.0"?><!-- a --><a xmlns="urn:a" b="c">d</a>')).not.toThrow();
  });
});
