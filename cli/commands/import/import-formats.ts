import { FORMATS, type ReadOptions } from '#src/imports/readers/statement.ts';

/** What `--format` of an import may be: those of statements, and `sure`, the data of a family. */
export const IMPORT_FORMATS = ['auto', ...FORMATS, 'sure'] as const;

/** The format of a statement that is asked for; the flag has been checked against the choices already. */
export function statementFormat(format: string | undefined): NonNullable<ReadOptions['format']> {
  return FORMATS.find((each) => each === format) ?? 'auto';
}
