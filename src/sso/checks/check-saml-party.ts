import {
  type CheckName,
  type Findings,
  failed,
  type ProviderCheck,
  passed,
  warned,
} from '#src/sso/checks/provider-check.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import {
  type CertificateFacts,
  describeCertificate,
  endsSoon,
  lastEnd,
} from '#src/sso/providers/describe-certificate.ts';
import type { KeyUse } from '#src/sso/providers/make-certificate.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { partyOf, saysEnough } from '#src/sso/saml/find-party.ts';
import { fetchMetadata } from '#src/sso/saml/metadata/fetch-metadata.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { ownCertificates } from '#src/sso/saml/own-certificates.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

interface Checking {
  access: ProviderAccess;
  signal: AbortSignal;
  findings: Findings;
}

/** What the provider publishes, if that is configured, then everything a sign-in goes by. Without metadata nobody is asked. */
export async function checkSamlParty(
  provider: SamlProvider,
  checking: Checking,
  warnDays?: number,
): Promise<void> {
  const { findings, access } = checking;
  const { metadataUrl } = provider;
  const metadata =
    metadataUrl === undefined ? undefined : await checkMetadata({ ...provider, metadataUrl }, checking);
  const clock = { now: access.now(), warnDays };
  if (metadata || saysEnough(provider)) {
    const party = partyOf(provider, metadata);
    findings.checks.push(
      judgeCertificates(party.certificates, clock),
      judgeSsoUrl(party),
      judgeLogout(provider, party),
    );
  }
  findings.checks.push(...judgeOwnKeys(provider, clock), ...judgeSettings(provider, metadata));
}

async function checkMetadata(
  provider: SamlProvider & { metadataUrl: string },
  { access, signal, findings }: Checking,
): Promise<IdpMetadata | undefined> {
  const started = performance.now();
  const took = () => ({ milliseconds: Math.round(performance.now() - started) });
  try {
    const { outbound } = access;
    const metadata = await fetchMetadata(provider, { outbound, signal, now: () => access.now() });
    const { notes } = metadata;
    const check =
      notes.length > 0 ? warned('metadata', notes.join(' ')) : passed('metadata', 'It can be used.');
    findings.checks.push({ ...check, ...took() }, passed('entity_id', 'The entity id is the right one.'));
    return metadata;
  } catch (error) {
    findings.checks.push({ ...judgeRefusal(provider, error), ...took() });
    return undefined;
  }
}

/** Settings that say everything go without metadata, but its keys are not followed then. */
function judgeRefusal(provider: SamlProvider, error: unknown): ProviderCheck {
  const mismatch = error instanceof LoginRefused && error.reason === 'metadata_entity_mismatch';
  const check = failed(mismatch ? 'entity_id' : 'metadata', error);
  if (mismatch || !saysEnough(provider)) return check;
  return { ...check, status: 'warn', message: `${check.message} The settings serve without it.` };
}

interface Clock {
  now: Date;
  warnDays: number | undefined;
}

function judgeCertificates(certificates: readonly string[], { now, warnDays }: Clock): ProviderCheck {
  const known = certificates.map((pem) => describeCertificate(pem, now));
  const valid = known.filter(({ problem }) => problem === undefined);
  const last = lastEnd(certificates, now);
  if (valid.length === 0 || !last) {
    return fail(
      'certificates',
      `No certificate is valid: ${known.map(({ problem }) => problem).join(', ')}.`,
    );
  }
  const text = `${count(known.length)}; the last one ends on ${day(last)}.`;
  if (endsSoon(last, now, warnDays)) {
    return warned('certificates', `${text} Ask the provider for the next one.`);
  }
  const outdated = known.length - valid.length;
  if (outdated === 0) return passed('certificates', text);
  return warned('certificates', `${text} Of them ${outdated} can be removed, or cannot be used yet.`);
}

function judgeSsoUrl({ ssoUrl, ssoBinding }: SamlParty): ProviderCheck {
  if (ssoUrl.startsWith('https:'))
    return passed('sso_url', `People are sent to it by ${ssoBinding}, encrypted.`);
  return warned(
    'sso_url',
    'The sign-in URL is plain http://: what people type there can be read on the way.',
  );
}

function judgeLogout({ privateKey }: SamlProvider, { logoutUrl }: SamlParty): ProviderCheck {
  if (logoutUrl === undefined) {
    return passed('logout', 'There is no logout URL: sessions at the provider do not end from here.');
  }
  if (privateKey !== undefined) return passed('logout', 'Sign-outs reach the provider, signed.');
  return warned(
    'logout',
    'There is a logout URL, but no key to sign with: sessions at the provider do not end from here. Make one with financectl providers keygen.',
  );
}

function judgeOwnKeys(provider: SamlProvider, { now, warnDays }: Clock): ProviderCheck[] {
  return ownCertificates(provider).map(({ use, pem }) =>
    judgeOwn(`Our certificate for ${PURPOSES[use]}`, describeCertificate(pem, now), { now, warnDays }),
  );
}

const PURPOSES: Record<KeyUse, string> = { signing: 'requests', encryption: 'decryption' };

function judgeOwn(what: string, { expiresAt, problem }: CertificateFacts, { now, warnDays }: Clock) {
  const advice =
    'Make another with financectl providers keygen, and let the provider read our metadata again.';
  if (problem) return fail('own_keys', `${what} ${problem}. ${advice}`);
  if (!endsSoon(expiresAt, now, warnDays)) return passed('own_keys', `${what} ends on ${day(expiresAt)}.`);
  return warned('own_keys', `${what} ends on ${day(expiresAt)}. ${advice}`);
}

function judgeSettings(provider: SamlProvider, metadata: IdpMetadata | undefined): ProviderCheck[] {
  const found: ProviderCheck[] = [];
  if (provider.signRequests) found.push(passed('request_signing', 'Requests are signed.'));
  else if (metadata?.wantsSignedRequests) {
    found.push(
      warned(
        'request_signing',
        'The provider wants signed requests: turn sign_requests on, with a key of ours.',
      ),
    );
  }
  const { nameIdFormat } = provider;
  const offered = metadata?.nameIdFormats ?? [];
  if (nameIdFormat !== undefined && offered.length > 0 && !offered.includes(nameIdFormat)) {
    found.push(
      warned(
        'name_id_format',
        `The provider does not offer the NameID format ${nameIdFormat}: choose one that it offers as name_id_format, or leave that out.`,
      ),
    );
  }
  if (provider.allowSha1) {
    found.push(
      warned(
        'sha1',
        'Signatures with SHA-1 are accepted: turn allow_sha1 off when the provider can do better.',
      ),
    );
  }
  if (provider.allowIdpInitiated) {
    found.push(
      warned(
        'idp_initiated',
        'Sign-ins that nobody began here are accepted: turn allow_idp_initiated off unless people need them.',
      ),
    );
  }
  return found;
}

function fail(name: CheckName, message: string): ProviderCheck {
  return { name, status: 'fail', message };
}

const count = (number: number) => (number === 1 ? '1 certificate' : `${number} certificates`);

const day = (time: Date) => time.toISOString().slice(0, 10);
