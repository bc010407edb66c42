import { type CheckName, type Findings, failed, passed } from '#src/sso/checks/provider-check.ts';
import {
  type DiscoveryDocument,
  isEndpoint,
  isInside,
  parseAnswer,
  readDiscovery,
  requestDiscovery,
  requireSameIssuer,
} from '#src/sso/connectors/discovery-document.ts';
import { fetchKeys } from '#src/sso/connectors/fetch-keys.ts';
import { judgeOffer } from '#src/sso/connectors/judge-offer.ts';
import { isUsableKey } from '#src/sso/connectors/verify-signature.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Answer } from '#src/sso/outbound/send-request.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

interface Checking {
  access: ProviderAccess;
  signal: AbortSignal;
  findings: Findings;
}

/** From the discovery document to the keys; stops where going on makes no sense. */
export async function checkOidcIssuer(provider: OidcProvider, checking: Checking): Promise<void> {
  const { findings } = checking;
  const attempt = async <Result>(name: CheckName, task: () => Result | Promise<Result>, fine: string) => {
    const started = performance.now();
    const took = () => ({ milliseconds: Math.round(performance.now() - started) });
    try {
      const result = await task();
      findings.checks.push({ ...passed(name, fine), ...took() });
      return result;
    } catch (error) {
      findings.checks.push({ ...failed(name, error, adviceOn(error, findings)), ...took() });
      return undefined;
    }
  };

  const answer = await attempt('discovery', () => askDiscovery(provider, checking), 'The provider answers.');
  if (!answer) return;
  findings.checks = findings.checks.map((check) => ({ ...check, httpStatus: answer.status }));

  const published = await attempt('json', () => requireDocument(answer), 'It publishes a document.');
  if (!published) return;

  findings.issuerToCopy = issuerToCopy(provider.issuer, published.issuer);
  const same = await attempt(
    'issuer',
    () => ({ checked: requireSameIssuer(provider.issuer, published.issuer) }),
    'The issuer is the configured one.',
  );
  if (!same) return;

  const document = await attempt(
    'endpoints',
    () => readDiscovery(provider.issuer, published),
    'All addresses a sign-in needs are there.',
  );
  findings.checks.push(...judgeOffer(provider, published));
  if (document) {
    const keys = () => requireKeys(document, answer, checking);
    await attempt('keys', keys, 'The keys can be read.');
  }
}

async function askDiscovery(provider: OidcProvider, { access, signal }: Checking): Promise<Answer> {
  const answer = await requestDiscovery(access.outbound, provider.issuer, signal);
  if (answer.status !== 200) throw new LoginRefused('provider_failed', String(answer.status));
  return answer;
}

function requireDocument(answer: Answer): Record<string, unknown> {
  const document = parseAnswer(answer);
  if (!isRecord(document)) throw new LoginRefused('discovery_invalid');
  return document;
}

async function requireKeys(
  document: DiscoveryDocument,
  { from }: Answer,
  { access, signal }: Checking,
): Promise<void> {
  const known = { document, allowsPrivate: isInside(from), keys: undefined };
  const { jwks } = await fetchKeys({ access, known, signal });
  if (!jwks.keys.some(isUsableKey)) throw new LoginRefused('keys_invalid');
}

/** The published issuer, if it is an address one could configure. */
function issuerToCopy(configured: string, published: unknown): string | undefined {
  const usable = isEndpoint(published, true) && /^[\x21-\x7a|~]{1,2000}$/.test(published);
  return usable && published !== configured ? published : undefined;
}

function adviceOn(error: unknown, { issuerToCopy }: Findings): string {
  const reason = error instanceof LoginRefused ? error.reason : '';
  if (reason === 'discovery_issuer_template') {
    return ' For Entra ID it is https://login.microsoftonline.com/<tenant id>/v2.0.';
  }
  const aboutIssuer = reason.startsWith('discovery_issuer');
  return aboutIssuer && issuerToCopy !== undefined ? ` Configure ${issuerToCopy} instead.` : '';
}
