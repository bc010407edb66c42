import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';

const NAMES = ['PRIMARY_KEY', 'DETERMINISTIC_KEY', 'KEY_DERIVATION_SALT'];

export function generate(keys: Command, host: Host): void {
  keys
    .command('generate')
    .summary('make new keys and print them')
    .description(
      'Prints three new random values as NAME=value lines. Nothing is stored: put them into the environment. To replace a key, put the new one in front of the old one, separated by a comma, and run keys rotate.',
    )
    .addHelpText('after', examples(['keys generate', 'keys generate -o keys.env'], 'financectl keys rotate'))
    .action(() => runGenerate(host));
}

async function runGenerate(host: Host): Promise<void> {
  const { randomBytes } = await import('node:crypto');
  const values = NAMES.map((name): [string, string] => [
    `ACTIVE_RECORD_ENCRYPTION_${name}`,
    randomBytes(32).toString('base64url'),
  ]);
  if (host.flags.json) printJson(host, Object.fromEntries(values));
  else print(host.io, values.map(([name, value]) => `${name}=${value}`).join('\n'));
  say(host.io, 'Keep them: what is encrypted with them cannot be read without. All three belong together.');
}
