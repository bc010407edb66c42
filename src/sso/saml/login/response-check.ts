import type { Identity } from '#src/sso/connector.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import type { XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import type { StepOutcome } from '#src/sso/saml/messages/step-outcome.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/** A response, and all that it is measured by. Plain data: it crosses to another thread. */
export interface ResponseCheck {
  /** `SAMLResponse` as it came, in base64. */
  message: string;
  party: Pick<SamlParty, 'entityId' | 'certificates' | 'nameIdFormat'>;
  policy: Pick<
    SamlProvider,
    'allowSha1' | 'decryptionKey' | 'requireEncryptedAssertions' | 'groupAttribute' | 'attributes'
  >;
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
  /** Milliseconds of the epoch. */
  issuedAt?: number | undefined;
  /** The end of its use; milliseconds of the epoch. */
  usableUntil?: number | undefined;
  nameId?: XmlElement | undefined;
  identity?: Identity | undefined;
}
