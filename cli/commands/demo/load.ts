import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson, printResult } from '#cli/render.ts';
import { oneLine } from '#src/kernel/safe-text.ts';

export function load(demo: Command, host: Host): void {
  demo
    .command('load')
    .summary('make a sample household')
    .description(
      'Makes a sample household: accounts, a year of transactions, transfers in every state, users and API keys. Prints a key and requests to try.',
    )
    .addHelpText('after', examples(['demo load', 'demo load --json > demo.json'], 'financectl demo clear'))
    .action(() => runLoad(host));
}

async function runLoad(host: Host): Promise<void> {
  const { loadDemo } = await import('#src/demo/load-demo.ts');
  const baseUrl = host.config().http.appUrl;
  const demo = await host.perform((work) => loadDemo(work, { baseUrl }));
  // After a dry run none of the keys and ids exist.
  if (host.dryRun) {
    say(host.io, 'The sample household can be made');
    return printResult(host, { dry_run: true });
  }
  if (host.flags.json) return printJson(host, demo);

  const { io } = host;
  say(io, 'Made the sample household. Its users, with their passwords:');
  for (const { email, password, role } of demo.users) say(io, `  ${email}  ${password}  (${role})`);
  say(io, 'Try, while the server is running (npm start):');
  const paths = [
    `transactions/${demo.transaction_id}`,
    `rejected_transfers?account_id=${demo.account_id}`,
    `rejected_transfers/${demo.rejected_transfer_id}`,
  ];
  const curls = paths.map((path) => `curl -H 'X-Api-Key: ${demo.api_key}' '${demo.base_url}/api/v1/${path}'`);
  for (const line of [`API key: ${demo.api_key}`, ...curls]) print(io, oneLine(line));
}
