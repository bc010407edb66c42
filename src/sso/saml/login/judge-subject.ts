import type { NameIdKind } from '#src/sso/connector.ts';
import { requireSubject } from '#src/sso/connectors/check-id-token.ts';
import { readSamlAttributes } from '#src/sso/saml/login/read-saml-attributes.ts';
import { readSamlIdentity } from '#src/sso/saml/login/read-saml-identity.ts';
import type { Reading } from '#src/sso/saml/login/response-check.ts';
import { openEncryptedId } from '#src/sso/saml/messages/decrypt-element.ts';
import { SKEW } from '#src/sso/saml/messages/read-time.ts';
import { childrenNamed, isNamed, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { met, quote, type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';

/** Throws `LoginRefused` for what cannot be kept. */
export async function judgeNameId(reading: Reading, assertion: XmlElement): Promise<StepOutcome> {
  const [subject, ...others] = childrenNamed(assertion, 'assertion', 'Subject');
  const [encrypted] = childrenNamed(subject, 'assertion', 'EncryptedID');
  const found = encrypted
    ? await openEncryptedId(
        encrypted,
        { signedXml: reading.signedXml ?? '', parent: 'Subject' },
        reading.check.policy.decryptionKey,
      )
    : childrenNamed(subject, 'assertion', 'NameID')[0];
  if (found && 'status' in found) return found;
  if (!found || others.length > 0 || !isNamed(found, 'assertion', 'NameID')) {
    return unmet('subject_missing', 'There is no NameID.');
  }
  const format = found.attributes.get('Format');
  if (format === NAME_ID_FORMATS.transient) {
    const message =
      'The NameID is transient: another one at each sign-in. Let the identity provider send one that lasts, of the format emailAddress or persistent.';
    return unmet('subject_transient', message);
  }
  if (found.children.length > 0)
    return unmet('subject_invalid', 'The NameID holds more than text.', 'structure');
  const value = requireSubject(textOf(found));
  reading.nameId = found;
  return met(`The NameID is ${quote(value)}, of the format ${quote(format)}.`);
}

/** Throws `LoginRefused`, as the others do. */
export function judgeAttributes(reading: Reading, assertion: XmlElement): StepOutcome {
  const { nameId, check, issuedAt, usableUntil } = reading;
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
      nameIdFormat: check.party.nameIdFormat,
      expiresAt: new Date((usableUntil ?? check.now) + SKEW).toISOString(),
      issuedAt: issuedAt === undefined ? undefined : new Date(issuedAt).toISOString(),
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
