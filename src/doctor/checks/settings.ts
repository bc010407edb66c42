import { type Finding, fail, ok, type Subject } from '#src/doctor/check.ts';
import { AppError } from '#src/kernel/errors.ts';

export async function settings(subject: Subject): Promise<Finding> {
  try {
    subject.config();
    return ok('all valid');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return fail(error.message, error.hint);
  }
}
