import { AppError } from '#src/kernel/errors.ts';

export function notABackup(why: string): AppError {
  return new AppError('validation_failed', `This is not a backup: ${why}`, {
    hint: 'Backups are made by financectl backup -o FILE.',
  });
}

export function damaged(why: string, cause?: unknown): AppError {
  return new AppError('validation_failed', `The backup is damaged: ${why}`, {
    hint: 'Use another copy of it. financectl backup verify FILE checks one without touching a database.',
    cause,
  });
}
