import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function check(config: Command, host: Host): void {
  config
    .command('check')
    .summary('say whether the settings are valid')
    .description(
      "Checks every setting, and the providers' file while it is in use, and tells all problems at once (exit code 5). Warns of variables that look like settings and are none. Reaches for no database and no provider.",
    )
    .addHelpText(
      'after',
      examples(['config check', 'config check --json'], 'financectl doctor, financectl help environment'),
    )
    .action(async () => {
      const { sso } = host.config();
      if (sso.source === 'yaml') {
        const { requireUsableFile } = await import('#src/sso/providers/require-usable-file.ts');
        await requireUsableFile(sso);
      }
      say(host.io, 'All settings are valid');
      printResult(host, { valid: true, unknown: host.environment.unknown });
    });
}
