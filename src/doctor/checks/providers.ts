import { type Finding, fail, ok, type Subject, skipped, warn } from '#src/doctor/check.ts';
import { checkProvider } from '#src/sso/checks/check-provider.ts';
import type { ProviderCheck } from '#src/sso/checks/provider-check.ts';
import { createProviderAccess, type ProviderAccess } from '#src/sso/provider-access.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { listUnusable, openProviderSource } from '#src/sso/providers/provider-source.ts';

/** Whether the settings let somebody in, then each enabled provider as it answers. */
export async function providers(subject: Subject): Promise<Finding[]> {
  const { sso, auth, caFile } = subject.config();
  const entries = await (await openProviderSource(await subject.runtime(), sso)).list();
  const usable = entries.flatMap(({ enabled, provider }) => (enabled && provider ? [provider] : []));
  // The check of the file has told of its own.
  const broken = (sso.source === 'yaml' ? [] : listUnusable(entries)).map(
    ({ name, problem = '' }): Finding => ({ name: `provider ${name}`, ...fail(`cannot work: ${problem}`) }),
  );
  const where = sso.source === 'yaml' ? sso.file : 'the database';
  const summary =
    usable.length === 0 && !auth.localLogin && !auth.adminOverride
      ? fail(
          `nobody can sign in: local login is off, and no provider of ${where} can be used`,
          'Enable a provider, or set AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED=true.',
        )
      : ok(`${usable.length} can be used, from ${where}`);
  if (subject.isOffline) {
    const left = usable.map(({ name }) => ({
      name: `provider ${name}`,
      ...skipped('not asked (--offline)'),
    }));
    return [summary, ...broken, ...left];
  }
  const { allowPrivateNetworks } = sso;
  const access = createProviderAccess({ caFile, allowPrivateNetworks, now: () => subject.now() });
  try {
    const asked = usable.map((provider) => ask(provider, access, subject.warnCertDays));
    return [summary, ...broken, ...(await Promise.all(asked))];
  } finally {
    access.close();
  }
}

async function ask(provider: Provider, access: ProviderAccess, warnCertDays: number): Promise<Finding> {
  const { checks, milliseconds } = await checkProvider(provider, access, { warnCertDays });
  return { name: `provider ${provider.name}`, ...judge(checks, milliseconds, provider.name) };
}

/** The check of certificates tells of theirs. */
const ELSEWHERE = ['certificates', 'own_keys'];

function judge(checks: readonly ProviderCheck[], milliseconds: number, name: string): Finding {
  const failed = checks.filter(({ status }) => status === 'fail');
  const warned = checks.filter(({ status, name }) => status === 'warn' && !ELSEWHERE.includes(name));
  const hint = `financectl providers test ${name} tells more.`;
  if (failed.length > 0) {
    return { ...fail(textOf(failed), hint), isOutage: failed.every(({ isOutage }) => isOutage === true) };
  }
  if (warned.length > 0) return warn(textOf(warned), hint);
  return ok(`answers as it should, in ${milliseconds} ms`);
}

function textOf(checks: readonly ProviderCheck[]): string {
  return checks.map(({ name, message }) => `${name.replaceAll('_', ' ')}: ${message}`).join(' ');
}
