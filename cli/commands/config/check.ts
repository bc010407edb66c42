import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import type { SsoConfig } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';

export function check(config: Command, host: Host): void {
  config
    .command('check')
    .summary('say whether the settings are valid')
    .description(
      "Checks every setting, and the providers' file while it is in use, and tells all problems at once (exit code 5). Reaches for no database and no provider.",
    )
    .addHelpText('after', examples(['config check', 'config check --json'], 'financectl help environment'))
    .action(async () => {
      const { sso } = host.config();
      if (sso.source === 'yaml') await checkFile(sso);
      say(host.io, 'All settings are valid');
      printResult(host, { valid: true });
    });
}

/** Throws `configuration_invalid` with everything that keeps its providers from working, with file and line. */
async function checkFile(sso: SsoConfig): Promise<void> {
  const [{ yamlSource }, { listUnusable }] = await Promise.all([
    import('#src/sso/providers/sources/yaml.ts'),
    import('#src/sso/providers/provider-source.ts'),
  ]);
  const unusable = listUnusable(await yamlSource(sso).list());
  if (unusable.length === 0) return;
  const errors = unusable.map(({ name, problem }) => `provider ${name} cannot work: ${problem}`);
  throw new AppError('configuration_invalid', errors.join('; '), {
    errors,
    hint: 'Correct the file, or set enabled: false there for a provider that is not to be used.',
  });
}
