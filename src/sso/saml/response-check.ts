import type { Identity } from '#src/sso/connector.ts';
import type { RefusalReason } from '#src/sso/login-refused.ts';
import type { SamlProvider } from '#src/sso/provider.ts';
import type { XmlElement } from '#src/sso/saml/read-xml.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/** A response, and all that it is measured by. Plain data: it crosses to another thread. */
export interface ResponseCheck {
  /** `SAMLResponse` as it came, in base64. */
  message: string;
  party: Pick<SamlParty, 'entityId' | 'certificates'>;
  policy: Pick<SamlProvider, 'allowSha1' | 'decryptionKey' | 'requireEncryptedAssertions' | 'groupAttribute'>;
  /** Ours at this provider. */
  entityId: string;
  acsUrl: string;
  /** What it has to answer: a request of ours; nothing at all; or whatever it likes, where nobody is let in by it. */
  answers: { requestId: string } | 'nothing' | 'anything';
  /** Milliseconds of the epoch. */
  now: number;
  /** Whether the rest is judged as well once something fails. */
  thorough: boolean;
}

export interface StepOutcome {
  status: 'ok' | 'fail' | 'skipped';
  /** For whoever set the provider up; may repeat what the response says, so it belongs in no log. */
  message: string;
  reason?: RefusalReason | undefined;
  /** A word of ours, for the log. */
  detail?: string | undefined;
}

export interface ResponseStep extends StepOutcome {
  name: string;
}

export interface ResponseVerdict {
  /** In the order of judgement. */
  steps: ResponseStep[];
  /** Only when no step failed. */
  identity?: Identity | undefined;
}

/** What one step learns and the next ones need. */
export interface Reading {
  readonly check: ResponseCheck;
  xml?: string | undefined;
  /** The message as it came; nothing of it is proven. */
  response?: XmlElement | undefined;
  /** From signed bytes alone. */
  assertion?: XmlElement | undefined;
  signedXml?: string | undefined;
  /** The end of its use; milliseconds of the epoch. */
  usableUntil?: number | undefined;
  nameId?: XmlElement | undefined;
  identity?: Identity | undefined;
}

export const SKEW = 60_000;

export const met = (message: string): StepOutcome => ({ status: 'ok', message });

export function unmet(reason: RefusalReason, message: string, detail?: string): StepOutcome {
  return { status: 'fail', message, reason, detail };
}

/** A value of the message, for a sentence. */
export function quote(value: string | undefined): string {
  if (value === undefined) return 'nothing';
  return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
}
