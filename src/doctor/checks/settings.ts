import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';
import { AppError } from '#src/kernel/errors.ts';

export async function settings(subject: Subject): Promise<Finding> {
  try {
    subject.config();
    const { unknown } = subject.sources();
    if (unknown.length === 0) return ok('all valid');
    return warn(
      unknown.join('; '),
      "Correct or remove them; 'financectl help environment' lists every variable.",
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return fail(error.message, error.hint);
  }
}
