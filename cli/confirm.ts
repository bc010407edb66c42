import { Cancelled, Refused, UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';

/** Asks before something that is hard to take back. --yes answers; where nobody can be asked it is required. */
export async function confirm(host: Host, question: string): Promise<void> {
  if (host.flags.yes || host.dryRun) return;
  if (!host.io.isInteractive) {
    throw new Refused(
      `${question} Nobody can be asked here, so --yes is required`,
      'Run it again with --yes.',
    );
  }
  const { answer } = await ask(host, '--yes', { type: 'confirm', message: question, default: false });
  if (answer !== true) throw new Cancelled();
}

/** The text somebody types to say that they mean it. Where nobody can be asked, `flag` is what a script gives. */
export async function typeToConfirm(host: Host, question: string, flag: string): Promise<string> {
  if (!host.io.isInteractive) {
    throw new Refused(`${question}: nobody can be asked here`, `Run it again with ${flag}.`);
  }
  const { answer } = await ask(host, flag, { type: 'input', message: question });
  return String(answer);
}

/**
 * A secret from stdin: typed unseen on a terminal, else everything up to the end, without its last line break. `flag` is
 * what a script gives.
 */
export async function readSecret(host: Host, what: string, flag: string): Promise<string> {
  const { io } = host;
  if (io.isInteractive) {
    const { answer } = await ask(host, flag, { type: 'password', message: what, mask: '*' });
    return String(answer);
  }
  if (io.stdin.isTTY) throw new UsageError(`${what}: nobody can be asked here; pipe it in`);
  const text = await readAll(host);
  if (text === '') throw new UsageError(`${what}: standard input is empty`);
  return text.replace(/\r?\n$/, '');
}

/** One line of text, or nothing. Only where somebody can be asked; `flag` is what a script gives. */
export async function askText(host: Host, question: string, flag: string): Promise<string> {
  const { answer } = await ask(host, flag, { type: 'input', message: question });
  return String(answer).trim();
}

/** One of several things, by its name; `flag` is what a script gives. */
export async function askChoice(
  host: Host,
  question: string,
  { flag, choices }: { flag: string; choices: readonly { name: string; value: string }[] },
): Promise<string> {
  const { answer } = await ask(host, flag, { type: 'select', message: question, choices: [...choices] });
  return String(answer);
}

type Question = { message: string } & (
  | { type: 'confirm'; default: boolean }
  | { type: 'input' }
  | { type: 'password'; mask: string }
  | { type: 'select'; choices: { name: string; value: string }[] }
);

/** Every question names the flag that answers it where nobody can be asked. */
async function ask({ io, signal }: Host, flag: string, question: Question): Promise<{ answer: unknown }> {
  const end = question.message.endsWith('?') ? '' : ':';
  const asked = { ...question, name: 'answer' as const, message: `${question.message} (${flag})${end}` };
  const { createPromptModule } = (await import('inquirer')).default;
  try {
    return await createPromptModule({ input: io.stdin, output: io.stderr, signal })([asked]);
  } catch (error) {
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name))
      throw new Cancelled();
    throw error;
  }
}

/** Standard input up to its end. */
export async function readAll({ io: { stdin }, signal }: Host): Promise<string> {
  const stop = () => stdin.destroy?.(new Cancelled());
  signal.addEventListener('abort', stop, { once: true });
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  signal.removeEventListener('abort', stop);
  return Buffer.concat(chunks).toString('utf8');
}
