import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { domainToASCII, fileURLToPath } from 'node:url';
import type { ProviderSourceName } from '#src/kernel/config.ts';

export const text = (value: string) => value;

export const bool = (value: string) =>
  /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined;

export const oneOf =
  <const T extends readonly string[]>(choices: T) =>
  (value: string): T[number] | undefined =>
    choices.find((choice) => choice === value);

export const whole = (minimum: number, maximum: number) => (value: string) => {
  const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
  return number >= minimum && number <= maximum ? number : undefined;
};

export const MOST_WORKERS = 64;

/** A number of processes; `auto` is what this machine, or the share of it that a container has, can run at once. */
export const concurrency = (value: string) =>
  value === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : whole(1, MOST_WORKERS)(value);

export const url = (protocols: RegExp) => (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  return parsed && protocols.test(parsed.protocol) ? value : undefined;
};

/** The origin people use to reach the service: no path, no query, no fragment, no credentials, no slash at the end. */
export const origin = (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined;
  return parsed.href === `${parsed.origin}/` ? parsed.origin : undefined;
};

export const SHORTEST_SECRET = 32;

export const secretText = (value: string) => (value.length >= SHORTEST_SECRET ? value : undefined);

export const secretList = (value: string) => {
  const secrets = value.split(',').map((secret) => secret.trim());
  return secrets.every((secret) => secret.length >= SHORTEST_SECRET) ? secrets : undefined;
};

export const SHORTEST_KEY = 16;

export const keyText = (value: string) => (value.length >= SHORTEST_KEY ? value : undefined);

export const keyList = (value: string) => {
  const keys = value.split(',').map((key) => key.trim());
  return keys.every((key) => key.length >= SHORTEST_KEY) ? keys : undefined;
};

const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** Domains in lower case and ASCII. Empty items are left out, but a list of nothing else is none: it would mean everybody. */
export const domainList = (value: string) => {
  const items = value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const domains = items.map((item) => domainToASCII(item.toLowerCase()));
  return items.length > 0 && domains.every((domain) => DOMAIN.test(domain)) ? domains : undefined;
};

const PROVIDER_SOURCES: Readonly<Record<string, ProviderSourceName>> = {
  yaml: 'yaml',
  db: 'database',
  database: 'database',
};

export const providerSource = (value: string) =>
  Object.hasOwn(PROVIDER_SOURCES, value.toLowerCase()) ? PROVIDER_SOURCES[value.toLowerCase()] : undefined;

/** `Name <address>` or an address alone. */
export const mailbox = (value: string) =>
  /^([^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(value) ? value : undefined;

/** The path of a `file:///` URL that says nothing else. */
const fileUrl = (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  // %2F would be a slash that is none.
  if (parsed?.protocol !== 'file:' || parsed.href !== `file://${parsed.pathname}`) return undefined;
  return /%2f|%00|%(?![0-9a-f]{2})/i.test(parsed.pathname) ? undefined : fileURLToPath(parsed);
};

/** An absolute folder, by path or URL, or a bucket with an optional prefix. Gives folders as paths. */
export const archiveUrl = (value: string) =>
  isAbsolute(value) || /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9!_.*'()-]+)*\/?$/.test(value)
    ? value
    : fileUrl(value);
