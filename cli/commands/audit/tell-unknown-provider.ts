import { openSource } from '#cli/commands/providers/source.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { didYouMean } from '#src/kernel/did-you-mean.ts';

/** For a filter that found nothing. Events of a provider that is gone can still be asked for, so it is no error. */
export async function tellUnknownProvider(host: Host, name: string): Promise<void> {
  const entries = await (await openSource(host)).list();
  const known = entries.flatMap((entry) => [entry.name, entry.id]);
  if (known.includes(name)) return;
  const names = entries.map((entry) => entry.name);
  say(host.io, [`No provider is named "${name}".`, didYouMean(name, names)].filter(Boolean).join(' '));
}
