import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { classifyAddress } from '#src/sso/outbound/classify-address.ts';

export interface HostAddress {
  address: string;
  family: number;
}

/** All addresses of a host name, as the system knows them. */
export type ResolveHost = (hostname: string) => Promise<HostAddress[]>;

export interface AddressRule {
  allowsPrivate: boolean;
  /** Without TLS. */
  plain: boolean;
}

/** Resolves by the system. Requests for one name share one look-up, so that a dead name server blocks one thread, not all. */
export function createResolver(): ResolveHost {
  const running = new Map<string, Promise<HostAddress[]>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known) return known;

    const resolving = new Promise<HostAddress[]>((resolve, reject) => {
      systemLookup(hostname, { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      );
    }).finally(() => running.delete(hostname));
    running.set(hostname, resolving);
    return resolving;
  };
}

/** A `lookup` for sockets that yields only addresses the rule lets through: what is checked is what is connected to. */
export function guardLookup(resolveHost: ResolveHost, rule: AddressRule): LookupFunction {
  const look = async (hostname: string, all: boolean, answer: Parameters<LookupFunction>[2]) => {
    try {
      const found = await resolveHost(hostname);
      const usable = found.filter(({ address }) => mayContact(address, rule));
      const [first] = usable;
      if (!first) throw new LoginRefused('provider_address_refused');
      answer(null, all ? usable : first.address, first.family);
    } catch (error) {
      answer(error instanceof Error ? error : new LoginRefused('provider_unreachable'), [], 0);
    }
  };
  return (hostname, options, answer) => void look(hostname, options.all === true, answer);
}

/** Sockets do not look up what already is an address. */
export function refuseLiteral(url: URL, rule: AddressRule): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayContact(host, rule)) throw new LoginRefused('provider_address_refused');
}

function mayContact(address: string, { allowsPrivate, plain }: AddressRule): boolean {
  const found = classifyAddress(address);
  if (found === 'refused') return false;
  return found === 'public' ? !plain : allowsPrivate;
}
