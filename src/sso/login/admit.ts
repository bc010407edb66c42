import type { JitMode } from '#src/kernel/config.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Identity, NameIdKind } from '#src/sso/connector.ts';
import { lookUpIdentity, refreshIdentity, type StoredIdentity } from '#src/sso/identities/keep-identity.ts';
import { admitNewcomer } from '#src/sso/login/admit-newcomer.ts';
import { fillProfile } from '#src/sso/login/fill-profile.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { syncRole } from '#src/sso/roles/sync-role.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';
import type { User } from '#src/users/user.entity.ts';

export interface AdmissionRules {
  mode: JitMode;
  /** Empty: every domain. */
  allowedDomains: readonly string[];
  /** ISO 4217 code of the family that a newcomer founds. */
  currency: string;
}

/** Somebody whom their identity lets in, or an identity that belongs to nobody yet although its email does. */
export type Admission =
  | { outcome: 'admitted'; user: User; identityId: string; isNew: boolean; isInvited: boolean }
  | { outcome: 'link_required'; userId: string };

/**
 * Whether an identity lets somebody in, and as whom (decisions, section 3). Provider and subject alone decide; an email
 * never signs anyone in. Throws `LoginRefused`; nothing of a refused admission is saved.
 */
export async function admit(
  work: Work,
  { provider, identity, rules }: { provider: Provider; identity: Identity; rules: AdmissionRules },
): Promise<Admission> {
  const known = await lookUpIdentity(work, provider, identity);
  const admission = known
    ? await admitKnown(work, { known, identity })
    : await admitNewcomer(work, { provider, identity, rules });
  if (admission.outcome === 'admitted') {
    fillProfile(admission.user, provider, identity);
    await syncRole(work, admission.user, provider, identity, { keepsUnmatched: admission.isInvited });
    await work.em.flush();
  }
  return admission;
}

interface Known {
  known: StoredIdentity;
  identity: Identity;
}

async function admitKnown(work: Work, { known, identity }: Known): Promise<Admission> {
  // Another issuer may well give the same subject to somebody else.
  const { user } = known;
  if (known.issuer !== identity.issuer) throw new LoginRefused('issuer_changed', undefined, user.id);
  if (isRequalified(known.nameId, identity)) {
    throw new LoginRefused('subject_changed', undefined, user.id);
  }
  if (user.isSuspended()) throw new LoginRefused('user_suspended', undefined, user.id);
  await refreshIdentity(work, known.id, identity);
  return { outcome: 'admitted', user, identityId: known.id, isNew: false, isInvited: false };
}

/**
 * Whether a NameID that is known comes as one of another domain, or no longer in the format that is asked for: then the
 * same text may name somebody else (SAML Core, sections 2.2.2 and 8.3), and whoever signs in can ask for that format.
 */
function isRequalified(known: NameIdKind | null, { tokens, assertion }: Identity): boolean {
  if (known === null) return false;
  const presented = tokens?.nameId ?? {};
  const { format, nameQualifier: domain } = known;
  const asked = assertion?.nameIdFormat;
  const isAsked = asked !== undefined && asked === format && asked !== NAME_ID_FORMATS.unspecified;
  const isOfAnother = Boolean(domain && presented.nameQualifier) && domain !== presented.nameQualifier;
  return isOfAnother || (isAsked && presented.format !== format);
}
