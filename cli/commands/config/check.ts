import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function check(config: Command, host: Host): void {
  config
    .command('check')
    .summary('say whether the settings are valid')
    .description('Checks every setting and tells all problems at once (exit code 5). Reaches for nothing.')
    .addHelpText('after', examples(['config check', 'config check --json'], 'financectl help environment'))
    .action(() => {
      host.config();
      say(host.io, 'All settings are valid');
      printResult(host, { valid: true });
    });
}
