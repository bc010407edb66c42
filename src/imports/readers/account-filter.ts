import { AppError } from '#src/kernel/errors.ts';

export interface AccountFilter {
  /** Whether to read what belongs to this account of the file; null: it names none. */
  accepts: (hint: string | null) => boolean;
  /** Call at the end of the file: throws unless exactly one account was meant. */
  finish: () => void;
}

/**
 * One import goes into one account, so a file of several needs a choice. Without one the whole file is still
 * walked through, to name every account in the refusal.
 */
export function accountFilter(file: string, chosen: string | undefined): AccountFilter {
  const seen = new Set<string>();
  let found = false;

  return {
    accepts(hint) {
      // Rows that name no account are an account of their own beside rows that do.
      seen.add(hint ?? '');
      if (chosen === undefined) return seen.size === 1;
      found ||= hint === chosen;
      return hint === chosen;
    },
    finish() {
      if (chosen === undefined ? seen.size <= 1 : found) return;
      const accounts = [...seen];
      const listed = accounts
        .slice(0, 20)
        .map((account) => (account === '' ? '(unnamed)' : JSON.stringify(account)));
      const why =
        chosen === undefined
          ? `holds ${accounts.length} accounts: ${listed.join(', ')}`
          : `has nothing of account ${JSON.stringify(chosen)}; it holds ${listed.join(', ') || 'no account names'}`;
      throw new AppError('validation_failed', `${file}:1: ${why}`, {
        hint: 'Say which account of the file to import.',
        details: { file, line: 1, accounts },
      });
    },
  };
}
