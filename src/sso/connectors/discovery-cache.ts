import type { ExportedJWKSCache } from 'openid-client';
import {
  type DiscoveryDocument,
  isInside,
  parseAnswer,
  readDiscovery,
  requestDiscovery,
} from '#src/sso/connectors/discovery-document.ts';
import { LoginRefused, type RefusalReason } from '#src/sso/login-refused.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';

/** What is known of an issuer: its document, and the keys last seen there. */
export interface KnownIssuer {
  readonly document: DiscoveryDocument;
  /** Whether what the document names may be at a private address. */
  readonly allowsPrivate: boolean;
  /** Shared by all logins of this process; replaced, never changed. */
  keys: ExportedJWKSCache | undefined;
  /** The last request for the keys and when it began (`performance.now()`); none after a failure. */
  asking?: { at: number; answer: Promise<ExportedJWKSCache> } | undefined;
}

interface Entry {
  known: KnownIssuer;
  /** Milliseconds since 1970. */
  freshUntil: number;
  usableUntil: number;
}

const FRESH = 15 * 60_000;
const USABLE = 24 * 60 * 60_000;
const RETRY = 60_000;
/** Redirects included. */
const LONGEST = 10_000;
const CAPACITY = 200;

/** Outages, as opposed to an answer that says something else. */
const OUTAGES: readonly RefusalReason[] = ['provider_unreachable', 'provider_timeout', 'provider_failed'];

/**
 * Discovery documents by issuer, the longest unused given up first. A document is asked for again after 15 minutes;
 * while the provider does not answer, the last one serves for a day.
 */
export class DiscoveryCache {
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<KnownIssuer>>();
  readonly #outbound: Outbound;
  readonly #now: () => Date;

  constructor(outbound: Outbound, now: () => Date) {
    this.#outbound = outbound;
    this.#now = now;
  }

  async find(issuer: string): Promise<KnownIssuer> {
    const entry = this.#entries.get(issuer);
    if (entry) {
      this.#entries.delete(issuer);
      this.#entries.set(issuer, entry);
      if (this.#now().getTime() < entry.freshUntil) return entry.known;
    }
    return await (this.#running.get(issuer) ?? this.#start(issuer, entry));
  }

  /** Logins at the same moment share one request. */
  #start(issuer: string, last: Entry | undefined): Promise<KnownIssuer> {
    const running = this.#refresh(issuer, last).finally(() => this.#running.delete(issuer));
    this.#running.set(issuer, running);
    return running;
  }

  async #refresh(issuer: string, last: Entry | undefined): Promise<KnownIssuer> {
    const now = this.#now().getTime();
    try {
      const answer = await requestDiscovery(this.#outbound, issuer, AbortSignal.timeout(LONGEST));
      const document = readDiscovery(issuer, parseAnswer(answer));
      const known = { document, allowsPrivate: isInside(answer.from), keys: last?.known.keys };
      this.#keep(issuer, { known, freshUntil: now + FRESH, usableUntil: now + USABLE });
      return known;
    } catch (error) {
      const outage = error instanceof LoginRefused && OUTAGES.includes(error.reason);
      if (!outage || !last || now >= last.usableUntil) throw error;
      this.#keep(issuer, { ...last, freshUntil: now + RETRY });
      return last.known;
    }
  }

  #keep(issuer: string, entry: Entry): void {
    this.#entries.delete(issuer);
    this.#entries.set(issuer, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= CAPACITY) break;
      this.#entries.delete(oldest);
    }
  }
}
