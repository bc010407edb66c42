import { statusOf } from '#src/http/error-response.ts';
import { sayWhenToReturn } from '#src/http/rate-limit.ts';
import type { Context } from '#src/http/state.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';

export interface FormRefusal {
  status: number;
  problems: Problem[];
}

/** What is wrong with a form: 422. */
export function unprocessable(problems: Problem[]): FormRefusal {
  return { status: 422, problems };
}

/**
 * An operation's refusal as something to correct in the form: `fields` says which input each code is about. What it
 * does not name is thrown again.
 */
export function formRefusal(
  ctx: Context,
  error: unknown,
  fields: Partial<Record<ErrorCode, string>>,
): FormRefusal {
  const field = error instanceof AppError ? fields[error.code] : undefined;
  if (!(error instanceof AppError) || field === undefined) throw error;
  sayWhenToReturn(ctx, error);
  return {
    // Credentials in a form are an input like any other (decisions, section 2).
    status: error.code === 'invalid_credentials' ? 422 : statusOf(error),
    problems: (error.errors ?? [error.message]).map((message) => ({ message: sentence(message), field })),
  };
}

/** The problem that a check of one input throws, or none. */
export function problemOf(field: string, check: () => unknown): Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    return [{ message: sentence(error.message), field }];
  }
}

/** An email that begins one stays as it is. */
function sentence(text: string): string {
  if (/^\S+@/.test(text)) return text;
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
