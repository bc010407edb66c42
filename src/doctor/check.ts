import type { Config } from '#src/kernel/config.ts';
import type { Runtime } from '#src/kernel/work.ts';

export type Status = 'ok' | 'warn' | 'fail' | 'skipped';

/** What a look at one thing has shown. Holds no secret. */
export interface Finding {
  /** Default: the name of the check. */
  name?: string;
  status: Status;
  detail: string;
  /** What to do. */
  hint?: string | undefined;
  /** It failed because somebody does not answer: trying again may help. */
  isOutage?: boolean | undefined;
  /** Whether checks that need this one make sense. Default: unless it failed or was skipped. */
  isUsable?: boolean;
}

/** What an exception means, for people. */
export type Explain = (error: unknown) => Pick<Finding, 'detail' | 'hint' | 'isOutage'>;

/** Where settings come from. */
interface Sources {
  /** Variables that look like settings and are none, each in a sentence. */
  unknown: readonly string[];
  /** Files that hold secrets: those that NAME_FILE names, and the settings file when there are secrets in it. */
  secretFiles: readonly string[];
  /** Where systemd keeps credentials of the service; undefined elsewhere. */
  credentialsFolder: string | undefined;
}

/** What is examined, and how. */
export interface Subject {
  /** Throws `configuration_invalid`. */
  config(): Config;
  sources(): Sources;
  /** Reached at the first call; the schema is left as it is. */
  runtime(): Promise<Runtime>;
  now(): Date;
  /** Nobody is asked but the database. */
  isOffline: boolean;
  /** From how many days before their end certificates are worth a warning. */
  warnCertDays: number;
  explain: Explain;
}

/** One thing to look at. It changes nothing; what it throws is a failure. */
export interface Check {
  name: string;
  /** Names of checks without whose success this one makes no sense. */
  needs: readonly string[];
  look: (subject: Subject) => Promise<Finding | Finding[]>;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const skipped = (detail: string): Finding => ({ status: 'skipped', detail });
export const warn = (detail: string, hint?: string): Finding => ({ status: 'warn', detail, hint });
export const fail = (detail: string, hint?: string): Finding => ({ status: 'fail', detail, hint });
