import type { RefusalReason } from '#src/sso/login-refused.ts';

export interface StepOutcome {
  status: 'ok' | 'fail' | 'skipped';
  /** For whoever set the provider up; may repeat what the response says, so it belongs in no log. */
  message: string;
  reason?: RefusalReason | undefined;
  /** A word of ours, for the log. */
  detail?: string | undefined;
}

export const met = (message: string): StepOutcome => ({ status: 'ok', message });

export function unmet(reason: RefusalReason, message: string, detail?: string): StepOutcome {
  return { status: 'fail', message, reason, detail };
}

/** A value of the message, for a sentence. */
export function quote(value: string | undefined): string {
  if (value === undefined) return 'nothing';
  return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
}
