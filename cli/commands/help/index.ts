import type { Command } from 'commander';
import { type Section, TOPICS } from '#cli/commands/help/topics.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { alignedLines, wrapped } from '#cli/wrap.ts';

/** `help GROUP…` never comes here: program.ts turns it into `GROUP… --help`. */
export function help(group: Command, host: Host): void {
  for (const [name, { summary, sections }] of Object.entries(TOPICS)) {
    group
      .command(name)
      .summary(summary)
      .description(`Prints ${summary}.`)
      .addHelpText('after', examples([`help ${name}`]))
      .action(async () => printTopic(host, await sections()));
  }
}

function printTopic(host: Host, sections: readonly Section[]): void {
  if (host.flags.json) {
    const documents = sections.map(({ key, lines }) => [key, Object.fromEntries(lines)]);
    printJson(host, Object.fromEntries(documents));
    return;
  }
  const { results } = host.io;
  const width = results.isTTY ? (results.columns ?? 80) : undefined;
  const texts = sections.map(({ heading, lines, notes = [] }) => {
    const table = [...(heading ? [heading] : []), alignedLines(lines, width)].join('\n');
    return [table, ...notes.map((note) => wrapped(note, width))].join('\n\n');
  });
  print(host.io, texts.join('\n\n'));
}
