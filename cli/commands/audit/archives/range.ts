import { type Command, Option } from 'commander';
import { beginning, moment } from '#cli/values.ts';

export interface RangeOptions {
  since?: Date;
  until?: Date;
}

/** Which days are meant. */
export function rangeOptions(command: Command): Command {
  return command
    .option('--since <when>', 'from this day on: a span such as 400d, or a date', beginning)
    .addOption(new Option('--until <date>', 'days before this one').argParser(moment));
}
