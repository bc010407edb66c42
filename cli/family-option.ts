import type { Command } from 'commander';
import type { Work } from '#src/kernel/work.ts';

export interface FamilyOption {
  family?: string;
}

/** `--family`, for commands that work inside one. */
export function familyOption(command: Command): Command {
  return command.option('--family <family>', 'name or id; not needed while there is only one');
}

/** The id of the family that `--family` names, or of the only one. */
export async function chooseFamily(work: Work, { family }: FamilyOption): Promise<string> {
  const { findFamily } = await import('#src/ledger/find-family.ts');
  return (await findFamily(work, family)).id;
}
