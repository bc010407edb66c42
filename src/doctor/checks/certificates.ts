import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, skipped, warn } from '#src/doctor/check.ts';
import { endsSoon } from '#src/sso/providers/describe-certificate.ts';
import { listProviderFigures, type ProviderFigures } from '#src/sso/providers/provider-figures.ts';
import { openProviderSource } from '#src/sso/providers/provider-source.ts';

interface Ending {
  what: string;
  expiresAt: Date;
  /** Whose turn it is to make the next one. */
  isOurs: boolean;
}

/** Until when the certificates of SAML providers and of ours serve, as far as that is known without asking. */
export async function certificates(subject: Subject): Promise<Finding | Finding[]> {
  const source = await openProviderSource(await subject.runtime(), subject.config().sso);
  const now = subject.now();
  const endings = (await listProviderFigures(source, await databaseOf(subject), now)).flatMap(endingsOf);
  if (endings.length === 0) return skipped('there is no SAML provider whose certificates are known');
  const soon = endings.filter(({ expiresAt }) => endsSoon(expiresAt, now, subject.warnCertDays));
  if (soon.length === 0) return ok(`${endings.length} serve for more than ${subject.warnCertDays} days`);
  return soon.map((ending) => judge(ending, now));
}

function endingsOf({ provider, expiresAt, own }: ProviderFigures): Ending[] {
  const theirs = expiresAt ? [{ what: `those of ${provider}`, expiresAt, isOurs: false }] : [];
  const ours = own.map((each) => ({
    what: `ours for ${each.use} at ${provider}`,
    expiresAt: each.expiresAt,
    isOurs: true,
  }));
  return [...theirs, ...ours];
}

function judge({ what, expiresAt, isOurs }: Ending, now: Date): Finding {
  const day = expiresAt.toISOString().slice(0, 10);
  const hint = isOurs
    ? 'Make another with financectl providers keygen, and let the provider read our metadata again.'
    : 'Ask the provider for the next one.';
  return expiresAt <= now ? fail(`${what} ended on ${day}`, hint) : warn(`${what} end on ${day}`, hint);
}
