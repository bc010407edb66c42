import type { Command } from 'commander';
import { Verdict } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printFields } from '#cli/render.ts';

export function check(keys: Command, host: Host): void {
  keys
    .command('check')
    .summary('say whether every stored secret can be decrypted')
    .description(
      'Tries to decrypt every stored secret with the keys of the settings, and exits with 5 when one cannot be.',
    )
    .addHelpText('after', examples(['keys check'], 'financectl keys rotate'))
    .action(() => runCheck(host));
}

async function runCheck(host: Host): Promise<void> {
  const { checkKeys } = await import('#src/sso/providers/rotate-keys.ts');
  const { current, older, unreadable } = await host.read((work) => checkKeys(work));
  printFields(
    host,
    [
      ['with the current key', current],
      ['with an older key', older],
      ['cannot be decrypted', unreadable.length],
    ],
    { current, older, unreadable },
  );
  if (unreadable.length > 0) {
    throw new Verdict('configuration_invalid', 5, unreadable.join('; '), HINT, unreadable);
  }
  if (older > 0) say(host.io, 'Next: financectl keys rotate');
}

const HINT =
  'Set the keys they were encrypted with: SECRET_KEY_BASE, or the ACTIVE_RECORD_ENCRYPTION_ ones, old primary keys behind the new one.';
