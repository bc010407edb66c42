import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { iso } from '#cli/times.ts';

export function revoke(apiKeys: Command, host: Host): void {
  apiKeys
    .command('revoke')
    .alias('rm')
    .summary('end keys, at once and for good')
    .description('Ends keys. Every process refuses them from the next request on. Asks first.')
    .argument('<id...>', 'ids of keys, as api-keys list shows them')
    .addHelpText(
      'after',
      examples(['api-keys revoke 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e --yes'], 'financectl api-keys list'),
    )
    .action((ids: string[]) => runRevoke(host, ids));
}

async function runRevoke(host: Host, ids: string[]): Promise<void> {
  await confirm(host, ids.length === 1 ? `Revoke the API key ${ids[0]}?` : `Revoke ${ids.length} API keys?`);
  const { revokeApiKey } = await import('#src/auth/revoke-api-key.ts');
  const revokeOne = async (id: string) => {
    const apiKey = await host.perform((work) => revokeApiKey(work, { id }));
    say(host.io, `Revoked the API key ${apiKey.name} (${apiKey.id})`);
    return { id: apiKey.id, name: apiKey.name, revoked_at: iso(apiKey.revokedAt ?? null) };
  };
  await forEachOf(host, ids, revokeOne, (results) => printResult(host, results));
}
