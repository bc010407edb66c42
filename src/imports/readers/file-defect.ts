import { AppError } from '#src/kernel/errors.ts';

/** The whole file is refused: `file:line: why`. */
export function fileDefect(file: string, line: number, why: string, hint: string): AppError {
  return new AppError('validation_failed', `${file}:${line}: ${why}`, { hint, details: { file, line } });
}
