import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ResponseCheck } from '#src/sso/saml/login/response-check.ts';
import { validateResponse } from '#src/sso/saml/login/validate-response.ts';
import { decodePosted, decodeRedirected } from '#src/sso/saml/messages/decode-message.ts';
import { checkOf } from '#test/sso/support/response-check.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { ACS_URL } from '#test/sso/support/saml-login.ts';

let idp: SamlIdp;
let signed: Record<'assertion' | 'response', string>;

beforeAll(async () => {
  idp = await createSamlIdp();
  const answer = async (sign: 'assertion' | 'response') => {
    const { SAMLResponse } = await idp.answer({ requestId: '_1', acsUrl: ACS_URL, misbehave: { sign } });
    return decodePosted(SAMLResponse);
  };
  signed = { assertion: await answer('assertion'), response: await answer('response') };
});

const check = (xml: string, changes: Partial<ResponseCheck> = {}) =>
  checkOf(idp, Buffer.from(xml).toString('base64'), changes);

type Mutate = (xml: string) => string;

const PIECES = [
  '<!---->',
  '<?a b?>',
  '<![CDATA[x]]>',
  ' ',
  'eve@example.com',
  '</saml:Assertion>',
  '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">eve@example.com</saml:NameID>',
  '&#x65;',
  '&amp;',
  '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_evil"/>',
];

const places = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const mutations: fc.Arbitrary<Mutate> = fc.oneof(
  // Something is put in, between tags or anywhere.
  fc
    .tuple(places, fc.constantFrom(...PIECES), fc.boolean())
    .map(([place, piece, betweenTags]) => (xml: string) => {
      const anywhere = Math.floor(place * xml.length);
      const at = betweenTags ? xml.indexOf('>', anywhere) + 1 : anywhere;
      return xml.slice(0, at) + piece + xml.slice(at);
    }),
  // A stretch is left out, or moved.
  fc.tuple(places, places, places, fc.boolean()).map(([from, to, elsewhere, isMoved]) => (xml: string) => {
    const [start, end] = [from, to]
      .sort((a, b) => a - b)
      .map((each) => xml.indexOf('<', Math.floor(each * xml.length)));
    const [cut, rest] = [xml.slice(start, end), xml.slice(0, start) + xml.slice(end)];
    const at = rest.indexOf('<', Math.floor(elsewhere * rest.length));
    return isMoved ? rest.slice(0, at) + cut + rest.slice(at) : rest;
  }),
  // A character is another.
  fc
    .tuple(places, fc.constantFrom('a', '0', '"', '<', '&', 'é', '\r'))
    .map(([place, character]) => (xml: string) => {
      const at = Math.floor(place * xml.length);
      return xml.slice(0, at) + character + xml.slice(at + 1);
    }),
);

test.each(['assertion', 'response'] as const)(
  'whatever is done to a response whose %s is signed, nobody else signs in',
  async (part) => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutations, { minLength: 1, maxLength: 3 }), async (changes) => {
        const xml = changes.reduce((text, mutate) => mutate(text), signed[part]);

        const { identity, steps } = await validateResponse(check(xml));

        if (identity) expect(identity).toMatchObject({ subject: 'ada@example.com', firstName: 'Ada' });
        else expect(steps.find(({ status }) => status === 'fail')?.reason).toBeDefined();
      }),
      { numRuns: 100 },
    );
  },
);

test('whatever arrives is decoded or refused, and nothing else happens', () => {
  fc.assert(
    fc.property(fc.oneof(fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
      for (const decode of [decodePosted, decodeRedirected]) {
        try {
          decode(text);
        } catch (error) {
          expect(error).toBeInstanceOf(LoginRefused);
        }
      }
    }),
  );
});
