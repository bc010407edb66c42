import type { Command } from 'commander';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function clear(demo: Command, host: Host): void {
  demo
    .command('clear')
    .summary('remove the sample household')
    .description('Removes the sample household with its users and keys, and nothing else. Asks first.')
    .addHelpText('after', examples(['demo clear --yes'], 'financectl demo load'))
    .action(() => runClear(host));
}

async function runClear(host: Host): Promise<void> {
  await confirm(host, 'Remove the sample household with everything in it?');
  const { clearDemo } = await import('#src/demo/clear-demo.ts');
  const { families } = await host.perform((work) => clearDemo(work));
  say(host.io, families === 0 ? 'There was no sample household' : 'Removed the sample household');
  printResult(host, { families });
}
