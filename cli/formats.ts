import type { Command } from 'commander';
import { UsageError } from '#cli/errors.ts';
import type { Flags } from '#cli/surface.ts';
import { guess, similarTo } from '#src/kernel/did-you-mean.ts';
import { safeJson } from '#src/kernel/safe-text.ts';

/** What `--format` of a list may be; `financectl help formats` prints this table. */
export const LIST_FORMATS = {
  table: 'aligned columns on a terminal; tab-separated and never cut short anywhere else',
  json: 'one JSON array; the same as --json',
  ndjson: 'one JSON object per line',
  csv: 'RFC 4180 with a heading; text that begins like a formula gets a leading apostrophe',
  yaml: 'one YAML sequence of what json prints',
} as const;

/** What `--format` may be where a command prints one thing. */
export const DOCUMENT_FORMATS = {
  json: 'one JSON document; the same as --json',
  yaml: 'the same document as YAML',
} as const;

/** How a command that was chosen on the command line writes its result. */
export interface Writing {
  /** `--format` asks for the document of --json. */
  isDocument: boolean;
  /** One document as text. */
  document: (value: unknown) => string;
}

export const writeJson = (value: unknown) => safeJson(value, 2);

/** Checks `--format`, which stands before or after the command's name and means what the command says it means. */
export async function chooseWriting(command: Command, flags: Flags): Promise<Writing> {
  const { format, json } = flags;
  if (format === undefined) return { isDocument: false, document: writeJson };
  const own = command.options.find(({ long }) => long === '--format')?.argChoices;
  const choices = own ?? Object.keys(DOCUMENT_FORMATS);
  if (!choices.includes(format)) throw unknownFormat(command, format, own);
  if (json && choices.includes('json') && format !== 'json') {
    throw new UsageError(`--json and --format ${format} contradict each other`);
  }
  if (format !== 'yaml') return { isDocument: own === undefined, document: writeJson };
  const { safeYaml } = await import('#cli/yaml-text.ts');
  return { isDocument: own === undefined, document: safeYaml };
}

function unknownFormat(command: Command, format: string, own: string[] | undefined): UsageError {
  if (!own && Object.hasOwn(LIST_FORMATS, format)) {
    return new UsageError(
      `'${command.name()}' is no list: it has --format json and yaml only, not ${format}`,
    );
  }
  const choices = own ?? Object.keys(DOCUMENT_FORMATS);
  // What wrote a statement is easily taken for its format.
  const presets = command.options.find(({ long }) => long === '--preset')?.argChoices ?? [];
  const hint = presets.includes(format)
    ? `It is a kind of CSV: --preset ${format}`
    : guess(similarTo(format, choices));
  return new UsageError(`--format must be one of ${choices.join(', ')}, not "${format}"`, hint || undefined);
}
