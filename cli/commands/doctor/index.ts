import type { Command } from 'commander';
import { printFinding } from '#cli/commands/doctor/print-finding.ts';
import { describeError } from '#cli/describe-error.ts';
import { Verdict } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { count } from '#cli/values.ts';
import type { LoadedEnvironment } from '#config/environment-file.ts';
import { holdsSecrets, secretFiles } from '#config/secret-files.ts';
import type { Explain, Subject } from '#src/doctor/check.ts';
import type { NamedFinding } from '#src/doctor/examine.ts';
import type { Runtime } from '#src/kernel/work.ts';

interface DoctorOptions {
  offline?: true;
  warnCertDays: number;
  exitCode?: true;
}

/** `doctor` is a command itself. */
export function doctor(group: Command, host: Host): void {
  group
    .description(
      'Looks at settings, disk, database, schema, clock, keys, providers, certificates and mail, one after the other, and says what to do about each thing that is not right. Changes nothing, and runs no migration. Exits with 5 when something is wrong, with 7 when all that is wrong is that somebody does not answer.',
    )
    .option('--offline', 'ask nobody but the database: no identity provider, no mail server')
    .option('--warn-cert-days <days>', 'warn of certificates that end within so many days', count, 30)
    .option('--exit-code', 'exit with 8 when there are warnings')
    .addHelpText(
      'after',
      examples(
        ['doctor', 'doctor --offline --exit-code --quiet', 'doctor --json'],
        'financectl config check, financectl db status, financectl providers test',
      ),
    )
    .action((options: DoctorOptions) => runDoctor(host, options));
}

async function runDoctor(host: Host, options: DoctorOptions): Promise<void> {
  const [{ examine, overall }, { CHECKS }, { impatient }] = await Promise.all([
    import('#src/doctor/examine.ts'),
    import('#src/doctor/checks.ts'),
    import('#src/doctor/ask.ts'),
  ]);
  const width = Math.max(...CHECKS.map(({ name }) => name.length));
  const findings: NamedFinding[] = [];
  for await (const finding of examine(CHECKS, subjectOf(host, options, impatient))) {
    host.signal.throwIfAborted();
    findings.push(finding);
    if (!host.flags.json) printFinding(host.io, finding, width);
  }
  const status = overall(findings);
  if (host.flags.json) {
    const checks = findings.map(({ name, status, detail, hint = null }) => ({ name, status, detail, hint }));
    printJson(host, { status, checks });
  }
  conclude(host, findings, options);
}

function subjectOf(
  host: Host,
  { offline, warnCertDays }: DoctorOptions,
  hasten: (pool: Runtime['pool']) => Runtime['pool'],
): Subject {
  return {
    config: () => host.config(),
    sources: () => sourcesOf(host.environment),
    runtime: async () => {
      const runtime = await host.runtime({ migrateFirst: false });
      return { ...runtime, pool: hasten(runtime.pool) };
    },
    now: () => new Date(),
    isOffline: offline === true,
    warnCertDays,
    explain,
  };
}

function sourcesOf({ env, file, fromFile, unknown }: LoadedEnvironment): ReturnType<Subject['sources']> {
  const inFile = [...fromFile].filter((name) => env[name]);
  return {
    unknown,
    secretFiles: [...secretFiles(env), ...(file && holdsSecrets(inFile) ? [file] : [])],
    credentialsFolder: env.CREDENTIALS_DIRECTORY?.trim() || undefined,
  };
}

const explain: Explain = (error) => {
  const { message, hint, exitCode } = describeError(error);
  return { detail: message, hint, isOutage: exitCode === 7 };
};

function conclude({ io }: Host, findings: readonly NamedFinding[], { exitCode }: DoctorOptions): void {
  const failures = findings.filter(({ status }) => status === 'fail');
  const warnings = findings.filter(({ status }) => status === 'warn').length;
  const sum = [
    ...(failures.length > 0
      ? [failures.length === 1 ? 'one check failed' : `${failures.length} checks failed`]
      : []),
    ...(warnings > 0 ? [warnings === 1 ? 'one warning' : `${warnings} warnings`] : []),
  ].join(', ');
  if (failures.length > 0) {
    throw failures.every(({ isOutage }) => isOutage)
      ? new Verdict('service_unavailable', 7, sum)
      : new Verdict('configuration_invalid', 5, sum);
  }
  if (exitCode && warnings > 0) throw new Verdict('warnings', 8, sum);
  say(io, warnings > 0 ? `Nothing is wrong; ${sum}` : 'Nothing is wrong');
}
