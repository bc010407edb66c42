import type { Sql } from '#src/kernel/sql-on.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';
import type { MetadataPlace } from '#src/sso/saml/metadata/fetch-metadata.ts';
import {
  type KnownMetadata,
  keepMetadata,
  lookUpKnownMetadata,
} from '#src/sso/saml/metadata/known-metadata.ts';
import { hasExpired, isFresh } from '#src/sso/saml/metadata/metadata-age.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';

/** Whose metadata, and where it is to be had. */
export interface MetadataTarget extends MetadataPlace {
  /** Of the provider. */
  id: string;
}

export interface MetadataCacheOptions {
  outbound: Outbound;
  /** Undefined: nothing is shared with other processes, nor kept. */
  database?: Sql | undefined;
  /** Milliseconds for one attempt, redirects included. */
  timeout: number;
  now(): Date;
}

const FORCED = 60_000;

/**
 * What providers publish about themselves: in memory, else in the table that all processes share, else asked for. The
 * last good answer serves while the provider gives no better one, until the time it sets itself.
 */
export class MetadataCache {
  /** By provider id; what is configured bounds it. */
  readonly #known = new Map<string, KnownMetadata>();
  readonly #running = new Map<string, Promise<IdpMetadata>>();
  /** When a provider may be asked again out of turn, in milliseconds since 1970. */
  readonly #nextForced = new Map<string, number>();
  readonly #options: MetadataCacheOptions;

  constructor(options: MetadataCacheOptions) {
    this.#options = options;
  }

  /** Throws `LoginRefused` when nothing usable is known and the provider gives nothing. */
  async find(target: MetadataTarget): Promise<IdpMetadata> {
    const known = this.#recall(target);
    if (known && isFresh(known, this.#options.now())) return known.metadata;
    return await this.#share(target, () => this.#renew(target));
  }

  /** Asks now, whatever is known; as `find` while the provider gives nothing better. */
  async refresh(target: MetadataTarget): Promise<IdpMetadata> {
    return await this.#share(target, async () => this.#ask(target, await this.#consult(target)));
  }

  /**
   * Other certificates than those `seen`, asked for out of turn, at most once a minute for each provider; undefined when
   * there are none.
   */
  async findNewer(target: MetadataTarget, seen: readonly string[]): Promise<IdpMetadata | undefined> {
    const known = this.#recall(target);
    if (known && differs(known, seen)) return known.metadata;
    const running = this.#running.get(keyOf(target)) ?? this.#force(target, seen);
    try {
      const metadata = await running;
      return metadata && differs({ metadata }, seen) ? metadata : undefined;
    } catch (error) {
      if (error instanceof LoginRefused) return undefined;
      throw error;
    }
  }

  #force(target: MetadataTarget, seen: readonly string[]): Promise<IdpMetadata> | undefined {
    const now = this.#options.now().getTime();
    if (now < (this.#nextForced.get(target.id) ?? 0)) return undefined;
    this.#nextForced.set(target.id, now + FORCED);
    return this.#share(target, async () => {
      const known = await this.#consult(target);
      return known && differs(known, seen) ? known.metadata : await this.#ask(target, known);
    });
  }

  async #renew(target: MetadataTarget): Promise<IdpMetadata> {
    const known = await this.#consult(target);
    return known && isFresh(known, this.#options.now()) ? known.metadata : await this.#ask(target, known);
  }

  /** What this process knows, or another has found out since. */
  async #consult(target: MetadataTarget): Promise<KnownMetadata | undefined> {
    const { database } = this.#options;
    const stored = database && (await lookUpKnownMetadata(database, target.id));
    const recalled = this.#recall(target);
    if (!stored || !isOf(target, stored) || (recalled && recalled.checkedAt > stored.checkedAt)) {
      return recalled;
    }
    this.#known.set(target.id, stored);
    return stored;
  }

  async #ask(target: MetadataTarget, last: KnownMetadata | undefined): Promise<IdpMetadata> {
    // The parser is loaded by those alone who need it.
    const { fetchMetadata } = await import('#src/sso/saml/metadata/fetch-metadata.ts');
    const checkedAt = this.#options.now();
    try {
      const signal = AbortSignal.timeout(this.#options.timeout);
      const metadata = await fetchMetadata(target, { ...this.#options, signal });
      await this.#keep(target, { url: target.metadataUrl, metadata, fetchedAt: checkedAt, checkedAt });
      return metadata;
    } catch (error) {
      if (!(error instanceof LoginRefused) || !last) throw error;
      await this.#keep(target, { ...last, checkedAt, problem: error.reason });
      if (hasExpired(last.metadata, checkedAt)) throw error;
      return last.metadata;
    }
  }

  async #keep({ id }: MetadataTarget, known: KnownMetadata): Promise<void> {
    this.#known.set(id, known);
    if (this.#options.database) await keepMetadata(this.#options.database, id, known);
  }

  /** Logins at the same moment share one request. */
  #share(target: MetadataTarget, task: () => Promise<IdpMetadata>): Promise<IdpMetadata> {
    const key = keyOf(target);
    const running =
      this.#running.get(key) ??
      task().finally(() => {
        this.#running.delete(key);
      });
    this.#running.set(key, running);
    return running;
  }

  #recall(target: MetadataTarget): KnownMetadata | undefined {
    const known = this.#known.get(target.id);
    return known && isOf(target, known) ? known : undefined;
  }
}

const keyOf = ({ id, metadataUrl, entityId = '' }: MetadataTarget) => [id, metadataUrl, entityId].join('\n');

/** Under another address, or another name, it would be somebody else's. */
function isOf({ metadataUrl, entityId }: MetadataTarget, { url, metadata }: KnownMetadata): boolean {
  return url === metadataUrl && (entityId ?? metadata.entityId) === metadata.entityId;
}

function differs({ metadata }: Pick<KnownMetadata, 'metadata'>, seen: readonly string[]): boolean {
  return metadata.certificates.join() !== seen.join();
}
