import { AppError } from '#src/kernel/errors.ts';

/** One line per problem, and what to do about it; never a stack. */
export async function complain(thrown: unknown): Promise<void> {
  const error = thrown instanceof AppError ? thrown : await explain(thrown);
  for (const problem of error.errors ?? [error.message]) process.stderr.write(`error: ${problem}\n`);
  if (error.hint) process.stderr.write(`  hint: ${error.hint}\n`);
}

async function explain(thrown: unknown): Promise<AppError> {
  const [{ isDatabaseOutage }, { errorCode }] = await Promise.all([
    import('#src/http/database-outage.ts'),
    import('#src/kernel/error-code.ts'),
  ]);
  // A failed attempt on several addresses has a code, but nothing to say.
  const reason = (thrown instanceof Error && thrown.message) || (errorCode(thrown) ?? String(thrown));
  if (!isDatabaseOutage(thrown)) return new AppError('internal_server_error', reason, { cause: thrown });
  return new AppError('service_unavailable', `The database cannot be used: ${reason}`, {
    hint: 'Check that PostgreSQL runs and that DATABASE_URL names it; without DATABASE_URL an embedded one is started.',
    cause: thrown,
  });
}
