import { type Finding, ok, type Subject, warn } from '#src/doctor/check.ts';
import type { HttpConfig } from '#src/kernel/config.ts';

/** Whether APP_URL, HOST and TRUSTED_PROXY_HOPS can be meant together. */
export async function address(subject: Subject): Promise<Finding> {
  const { http } = subject.config();
  return judge(http) ?? ok(`${http.appUrl}, listening on ${http.host}:${http.port}`);
}

function judge({ appUrl, host, port, trustedProxyHops }: HttpConfig): Finding | undefined {
  const url = new URL(appUrl);
  const isSecure = url.protocol === 'https:';
  const isLocal = isLoopback(url.hostname);
  if (isLocal && !isLoopback(host)) {
    return warn(
      `people elsewhere can connect (HOST ${host}), but links lead to ${appUrl}`,
      'Set APP_URL to what they type to get here.',
    );
  }
  if (!isSecure && !isLocal) {
    return warn(
      `${appUrl} is not encrypted: passwords and sessions can be read on the way`,
      'Put a proxy with TLS in front, and begin APP_URL with https://.',
    );
  }
  if (isSecure && trustedProxyHops === 0) {
    return warn(
      `${appUrl} needs a proxy in front, and no proxy is trusted: everybody seems to come from its address`,
      'Set TRUSTED_PROXY_HOPS to the number of proxies, mostly 1.',
    );
  }
  if (isLocal && !isSecure && trustedProxyHops === 0 && port !== 0 && Number(url.port || 80) !== port) {
    return warn(
      `APP_URL names port ${url.port || 80}, and the server listens on ${port}`,
      'Correct APP_URL or PORT.',
    );
  }
  return undefined;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}
