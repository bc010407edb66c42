import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function rotate(keys: Command, host: Host): void {
  keys
    .command('rotate')
    .summary('encrypt every stored secret with the current key')
    .description(
      'Encrypts anew what is encrypted with an older key; all of it or, when one secret cannot be decrypted, nothing. Old keys are not needed afterwards. A second run does nothing.',
    )
    .addHelpText('after', examples(['keys rotate --dry-run', 'keys rotate'], 'financectl keys generate'))
    .action(() => runRotate(host));
}

async function runRotate(host: Host): Promise<void> {
  const { rotateKeys } = await import('#src/sso/providers/rotate-keys.ts');
  const rotated = await host.perform((work) => rotateKeys(work));
  say(
    host.io,
    rotated === 0 ? 'Every secret is encrypted with the current key' : `Encrypted ${rotated} secrets anew`,
  );
  printResult(host, { rotated });
}
