import type { NameIdKind } from '#src/sso/connector.ts';
import { requireSubject } from '#src/sso/connectors/check-id-token.ts';
import { openEncryptedId } from '#src/sso/saml/judge-signature.ts';
import { readSamlAttributes } from '#src/sso/saml/read-saml-attributes.ts';
import { readSamlIdentity } from '#src/sso/saml/read-saml-identity.ts';
import { childrenNamed, isNamed, textOf, type XmlElement } from '#src/sso/saml/read-xml.ts';
import { met, quote, type Reading, SKEW, type StepOutcome, unmet } from '#src/sso/saml/response-check.ts';

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** Throws `LoginRefused` for what cannot be kept. */
export async function judgeNameId(reading: Reading, assertion: XmlElement): Promise<StepOutcome> {
  const [subject, ...others] = childrenNamed(assertion, 'assertion', 'Subject');
  const [encrypted] = childrenNamed(subject, 'assertion', 'EncryptedID');
  const found = encrypted
    ? await openEncryptedId(encrypted, reading.signedXml ?? '', reading.check.policy.decryptionKey)
    : childrenNamed(subject, 'assertion', 'NameID')[0];
  if (found && 'status' in found) return found;
  if (!found || others.length > 0 || !isNamed(found, 'assertion', 'NameID')) {
    return unmet('subject_missing', 'There is no NameID.');
  }
  const format = found.attributes.get('Format');
  if (format === TRANSIENT) {
    const message =
      'The NameID is transient: another one at each sign-in. The identity provider must send one that lasts.';
    return unmet('subject_invalid', message, 'transient');
  }
  if (found.children.length > 0)
    return unmet('subject_invalid', 'The NameID holds more than text.', 'structure');
  const value = requireSubject(textOf(found));
  reading.nameId = found;
  return met(`The NameID is ${quote(value)}, of the format ${quote(format)}.`);
}

/** Throws `LoginRefused`, as the others do. */
export function judgeAttributes(reading: Reading, assertion: XmlElement): StepOutcome {
  const { nameId, check, usableUntil } = reading;
  const subject = textOf(nameId);
  if (!nameId || subject === undefined) return { status: 'skipped', message: 'There is no NameID.' };
  const kind = kindOf(nameId);
  const attributes = readSamlAttributes(assertion);
  const [session] = childrenNamed(assertion, 'assertion', 'AuthnStatement');
  const identity = readSamlIdentity(check.policy, { subject, nameId: kind, attributes });
  reading.identity = {
    ...identity,
    issuer: check.party.entityId,
    tokens: { sid: session?.attributes.get('SessionIndex'), nameId: kind },
    assertion: {
      id: assertion.attributes.get('ID') ?? '',
      expiresAt: new Date((usableUntil ?? check.now) + SKEW).toISOString(),
    },
  };
  const names = Object.keys(attributes).map((name) => quote(name));
  const groups = identity.groups === null ? 'no groups' : `${identity.groups.length} groups`;
  const sent = names.length === 0 ? 'There are no attributes' : `There are ${names.join(', ')}`;
  return met(`${sent}. The email is ${quote(identity.email ?? undefined)}; there are ${groups}.`);
}

function kindOf({ attributes }: XmlElement): NameIdKind {
  return {
    format: attributes.get('Format'),
    nameQualifier: attributes.get('NameQualifier'),
    spNameQualifier: attributes.get('SPNameQualifier'),
  };
}
