import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { foresee } from '#cli/commands/providers/foresee.ts';
import { foreseenLines, presentForeseen } from '#cli/commands/providers/present-foreseen.ts';
import { openSource } from '#cli/commands/providers/source.ts';
import { readAll } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { printFields } from '#cli/render.ts';
import { moment } from '#cli/values.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

interface PreviewOptions {
  claims?: string;
  response?: string;
  at?: Date;
}

export function preview(providers: Command, host: Host): void {
  providers
    .command('preview')
    .summary('say what somebody with these claims, or this SAML response, would get')
    .description(
      'Reads claims as JSON and says which groups they hold, which rules match, the role, and what would happen to the account. Or reads a SAML response and says first what comes of each check of it, in order; exits with 5 when it would be refused. Changes nothing, and signs nobody in.',
    )
    .argument('<provider>', 'name or id')
    .option('--claims <file>', 'JSON as the provider sends it, - for standard input')
    .addOption(
      new Option(
        '--response <file>',
        'SAML: a response, XML or base64 as it was posted, - for standard input',
      ).conflicts('claims'),
    )
    .option('--at <moment>', 'with --response: when it came; default now', moment)
    .addHelpText(
      'after',
      examples(
        [
          'providers preview okta --claims claims.json',
          'providers preview corp --response response.txt --at 2026-01-31T12:00:00Z',
        ],
        'financectl providers update, financectl help roles',
      ),
    )
    .action((reference: string, options: PreviewOptions) => runPreview(host, reference, options));
}

async function runPreview(
  host: Host,
  reference: string,
  { claims, response, at }: PreviewOptions,
): Promise<void> {
  if (claims === undefined && response === undefined)
    throw new UsageError('--claims or --response is required');
  if (at !== undefined && response === undefined) throw new UsageError('--at goes with --response');
  const { findEntry } = await import('#src/sso/providers/find-entry.ts');
  const text = await readInput(host, claims ?? response ?? '');
  const said = response === undefined ? readClaims(text, claims ?? '') : undefined;
  const { provider, name, problem } = await findEntry(await openSource(host), reference);
  if (!provider) throw new AppError('conflict', `${name} cannot work: ${problem}`);

  if (said) return previewClaims(host, provider, said);
  const { previewResponse } = await import('#cli/commands/providers/preview-response.ts');
  await previewResponse(host, provider, { text, at });
}

async function previewClaims(host: Host, provider: Provider, claims: Record<string, unknown>): Promise<void> {
  const { identityFromClaims } = await import('#src/sso/login/identity-from-claims.ts');
  const foreseen = await foresee(host, provider, identityFromClaims(provider, claims));
  printFields(host, foreseenLines(provider, foreseen), presentForeseen(foreseen));
}

async function readInput(host: Host, file: string): Promise<string> {
  return file === '-' ? readAll(host) : readFile(file, 'utf8');
}

function readClaims(text: string, file: string): Record<string, unknown> {
  let claims: unknown;
  try {
    claims = JSON.parse(text);
  } catch {
    throw new UsageError(`${file === '-' ? '<stdin>' : file} is not valid JSON`);
  }
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw new UsageError('the claims must be a JSON object');
  return { ...claims };
}
