import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { readAll } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Cell, printFields } from '#cli/render.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { ForeseenAccount, ForeseenLogin } from '#src/sso/foresee-login.ts';
import type { Provider } from '#src/sso/provider.ts';

export function preview(providers: Command, host: Host): void {
  providers
    .command('preview')
    .summary('say what somebody with these claims would get')
    .description(
      'Reads claims as JSON and says which groups they hold, which rules match, the role, and what would happen to the account. Asks nobody and changes nothing.',
    )
    .argument('<provider>', 'name or id')
    .requiredOption('--claims <file>', 'JSON as the provider sends it, - for standard input')
    .addHelpText(
      'after',
      examples(
        ['providers preview okta --claims claims.json'],
        'financectl providers update, financectl help roles',
      ),
    )
    .action((reference: string, { claims }: { claims: string }) => runPreview(host, reference, claims));
}

async function runPreview(host: Host, reference: string, file: string): Promise<void> {
  const [{ findEntry }, { foreseeLogin }, { identityFromClaims }, { isRecord }] = await Promise.all([
    import('#src/sso/find-entry.ts'),
    import('#src/sso/foresee-login.ts'),
    import('#src/sso/identity-from-claims.ts'),
    import('#src/sso/field-reader.ts'),
  ]);
  const claims = await readJson(host, file);
  if (!isRecord(claims)) throw new UsageError('the claims must be a JSON object');
  const { provider, name, problem } = await findEntry(await openSource(host), reference);
  if (!provider) throw new AppError('conflict', `${name} cannot work: ${problem}`);

  const { jitMode: mode, allowedDomains } = host.config().sso;
  const identity = identityFromClaims(provider, claims);
  const foreseen = await host.read((work) =>
    foreseeLogin(work, { provider, identity, rules: { mode, allowedDomains } }),
  );
  printFields(host, toLines(provider, foreseen), present(foreseen));
}

async function readJson(host: Host, file: string): Promise<unknown> {
  const text = file === '-' ? await readAll(host) : await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file === '-' ? '<stdin>' : file} is not valid JSON`);
  }
}

function toLines(provider: Provider, { groups, decision, role, account }: ForeseenLogin): [string, Cell][] {
  return [
    ['groups in claims', groups === null ? 'none were sent' : groups.join(', ')],
    ...decision.rules.map(({ rule, role, matched, because }): [string, Cell] => [
      rule,
      `${matched ? 'matched' : 'no match'}: ${because}${differsInCase(provider, rule, groups) ? ' (case differs)' : ''} -> ${role}`,
    ]),
    ['role', `${role ?? 'is left alone'} (${REASONS[decision.kind]})`],
    ['account', describeAccount(account)],
  ];
}

const REASONS = {
  matched: 'the highest of all that match',
  no_match: 'the default: no rule matches',
  no_rules: 'there are no rules',
} as const;

function differsInCase({ roleMapping }: Provider, rule: string, groups: string[] | null): boolean {
  const mapping = roleMapping.mappings.find((_, index) => rule === `mappings[${index}]`);
  const held = groups ?? [];
  if (!mapping || held.includes(mapping.group)) return false;
  return held.some((group) => group.toLowerCase() === mapping.group.toLowerCase());
}

function describeAccount(account: ForeseenAccount): string {
  if ('reason' in account) return `refuse: ${account.reason}`;
  if ('invited' in account) return `create ${account.email}${account.invited ? ', who is invited' : ''}`;
  return account.outcome === 'sign_in'
    ? `sign in as ${account.email}, who is linked already`
    : `link to ${account.email}, who confirms it with the password`;
}

function present({ groups, decision, role, account }: ForeseenLogin): Record<string, unknown> {
  return { groups, rules: decision.rules, outcome: decision.kind, role: role ?? null, account };
}
