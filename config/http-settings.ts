import { concurrency, keyText, MOST_WORKERS, origin, SHORTEST_KEY, text, whole } from '#config/parsers.ts';
import type { Setting } from '#config/setting.ts';
import type { SettingValues } from '#config/setting-values.ts';

/** Where the server listens, what is in front of it, and who may watch it. */
export const HTTP_SETTINGS = {
  PORT: {
    parse: whole(0, 65_535),
    expects: 'a port from 0 to 65535',
    about: 'where the server listens; default 3000',
  },
  HOST: {
    parse: text,
    expects: 'a host name or address',
    about: 'default localhost (127.0.0.1 and ::1); 0.0.0.0 for every interface',
  },
  APP_URL: {
    parse: origin,
    expects: 'an http:// or https:// URL without path, query, fragment or password',
    about: 'what people type to get here; the only source of absolute links; default http://localhost:PORT',
  },
  TRUSTED_PROXY_HOPS: {
    parse: whole(0, 10),
    expects: 'a whole number from 0 to 10',
    about: 'proxies in front whose X-Forwarded-For is believed; default 0: the header is ignored',
  },
  SHUTDOWN_DELAY: {
    parse: whole(0, 60_000),
    expects: 'milliseconds from 0 to 60000',
    about: 'after SIGTERM, time for load balancers to look away before the listener closes; default 0',
  },
  API_RATE_LIMIT_PER_MINUTE: {
    parse: whole(1, 1_000_000),
    expects: 'a whole number from 1 to 1000000',
    about: 'API requests per key and minute, over all processes; default: no limit',
  },
  WEB_CONCURRENCY: {
    parse: concurrency,
    expects: `a whole number from 1 to ${MOST_WORKERS}, or auto`,
    about: 'processes that answer requests on this machine; auto: one per processor core; default 1',
  },
  METRICS_TOKEN: {
    parse: keyText,
    expects: `at least ${SHORTEST_KEY} characters, random`,
    about: 'the bearer token that opens GET /metrics to Prometheus; unset: there is no such path',
    secret: true,
  },
  METRICS_PORT: {
    parse: whole(0, 65_535),
    expects: 'a port from 0 to 65535',
    about: 'where GET /metrics is answered without a token, apart from everything else; unset: nowhere',
  },
  METRICS_HOST: {
    parse: text,
    expects: 'a host name or address',
    about: 'the address METRICS_PORT is opened on; default localhost (127.0.0.1 and ::1)',
  },
} satisfies { readonly [N in keyof SettingValues]?: Setting<SettingValues[N]> };
