import { withAccess } from '#cli/commands/providers/access.ts';
import { foresee } from '#cli/commands/providers/foresee.ts';
import { foreseenLines, presentForeseen } from '#cli/commands/providers/present-foreseen.ts';
import { Verdict } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { type Cell, printFields } from '#cli/render.ts';
import type { Identity } from '#src/sso/connector.ts';
import type { ForeseenLogin } from '#src/sso/login/foresee-login.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ResponseStep } from '#src/sso/saml/login/response-check.ts';

interface Given {
  text: string;
  at: Date | undefined;
}

/** Says of each check of a response what came of it, then who it would be and what they would get. */
export async function previewResponse(host: Host, provider: Provider, { text, at }: Given): Promise<void> {
  const [{ examineResponse }, { validateResponse }] = await Promise.all([
    import('#src/sso/checks/examine-response.ts'),
    import('#src/sso/saml/login/validate-response.ts'),
  ]);
  const { appUrl } = host.config().http;
  const { steps, identity } = await withAccess(host, undefined, (access) =>
    // One response needs no thread of its own.
    examineResponse(
      provider,
      { text, appUrl, at },
      { ...access, responses: { ...access.responses, validate: validateResponse } },
    ),
  );
  const foreseen = identity && (await foresee(host, provider, identity));
  printFields(
    host,
    [
      ...steps.map(({ name, status, message }): [string, Cell] => [name, `${WORDS[status]}: ${message}`]),
      ...(identity ? identityLines(identity) : []),
      ...(foreseen ? foreseenLines(provider, foreseen) : []),
    ],
    present(steps, identity, foreseen),
  );
  const failed = steps.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return;
  const reasons = [...new Set(failed.map(({ reason }) => reason))].join(', ');
  throw new Verdict('validation_failed', 5, `a sign-in with it would be refused: ${reasons}`);
}

const WORDS: Record<ResponseStep['status'], string> = { ok: 'ok', fail: 'FAIL', skipped: 'skipped' };

function identityLines({ subject, email, firstName, lastName }: Identity): [string, Cell][] {
  return [
    ['identity', subject],
    ['email', email],
    ['name', [firstName, lastName].filter(Boolean).join(' ')],
  ];
}

function present(
  steps: readonly ResponseStep[],
  identity: Identity | undefined,
  foreseen: ForeseenLogin | undefined,
): Record<string, unknown> {
  const { subject, email, firstName: first_name, lastName: last_name, attributes } = identity ?? {};
  return {
    accepted: identity !== undefined,
    steps: steps.map(({ name, status, message, reason }) => ({
      name,
      status,
      message,
      reason: reason ?? null,
    })),
    identity: identity ? { subject, email, first_name, last_name, attributes } : null,
    ...(foreseen ? presentForeseen(foreseen) : {}),
  };
}
