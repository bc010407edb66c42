import { type Command, Option } from 'commander';
import { column } from '#cli/commands/import/column.ts';
import { IMPORT_FORMATS } from '#cli/commands/import/import-formats.ts';
import { runImport } from '#cli/commands/import/run-import.ts';
import { type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { wholeNumber } from '#cli/values.ts';
import { PRESETS, type ReadOptions } from '#src/imports/readers/statement.ts';

export interface StatementOptions extends FamilyOption {
  newFamily?: string;
  account?: string;
  preset?: (typeof PRESETS)[number];
  delimiter?: string;
  decimal?: '.' | ',';
  dateFormat?: string;
  sign?: 'inflow-positive' | 'outflow-positive';
  encoding?: string;
  skipRows?: number;
  map?: NonNullable<ReadOptions['columns']>;
  statement?: string;
  currency?: string;
  match?: true;
}

export function statement(imports: Command, host: Host): void {
  familyOption(imports)
    .usage('[flags] <file...> --account <account>')
    .description(
      'Brings bank statements into an account: CSV, OFX, QFX, QIF and CAMT.053. Each file comes in as a whole or not at all; what came in before is left alone. The data of a family, as financectl export data and Sure (all.ndjson) write it, brings its own accounts, transfers and rejected transfers. With --dry-run shows what would happen.',
    )
    .argument('[files...]', 'statement files; - is standard input')
    .option('--account <account>', 'name or id of the account the statements belong to')
    .addOption(new Option('--format <format>', 'default: found out').choices(IMPORT_FORMATS))
    .option(
      '--statement <id>',
      'which account of the file to read (number, IBAN or name), when it holds several',
    )
    .option('--currency <code>', 'refuse the file unless the account has this currency')
    .option('--encoding <name>', 'such as windows-1252; default: found out')
    .option('--match', 'then look for transfers')
    .addOption(
      new Option('--new-family <name>', "make a family for a family's data").conflicts(['family', 'account']),
    )
    .optionsGroup('Options for CSV and QIF:')
    .addOption(new Option('--decimal <character>', 'default: found out').choices(['.', ',']))
    .option('--date-format <format>', 'such as DD.MM.YYYY; default: found out')
    .addOption(
      new Option('--sign <meaning>', 'what a positive amount means').choices([
        'inflow-positive',
        'outflow-positive',
      ]),
    )
    .optionsGroup('Options for CSV:')
    .addOption(new Option('--preset <name>', 'the program that wrote the file').choices(PRESETS))
    .option('--delimiter <character>', 'between columns; default: found out')
    .option('--skip-rows <number>', 'lines before the heading', wholeNumber)
    .option('--map <field=column>', 'heading or number of the column that holds a field; repeatable', column)
    .addHelpText(
      'after',
      examples(
        [
          'import checking.ofx --account Checking --match',
          'import *.csv --account Visa --dry-run',
          'import quicken.qif --account Visa --date-format DD/MM/YY',
          'import camt053.xml --account Giro --statement DE89370400440532013000',
          'import all.ndjson --new-family Smith',
          'import bank.csv --account Giro --delimiter ";" --decimal , --map date=Buchungstag --map amount=Betrag',
        ],
        'financectl transfers match, financectl export data',
      ),
    )
    .action((files: string[], options: StatementOptions) => runImport(host, files, options));
}
