import { type EndedSession, endSession } from '#src/auth/end-session.ts';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { leaveSession } from '#src/http/web/session.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Departure } from '#src/sso/connector.ts';
import { logoutConnectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { startLogout } from '#src/sso/logout/start-logout.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

/** Ends the session here, and nowhere else. Signing out twice is no mistake. */
export async function signOut(web: Web, ctx: WebContext): Promise<void> {
  const { signedIn } = ctx.state;
  if (!signedIn) return;
  const { entry } = await lookUpProvider(web, signedIn);
  await endHere(web, ctx, { ...signedIn, provider: entry?.name });
}

/**
 * Ends the session here, first and whatever happens then; answers with where to end the provider's own, if it came
 * through one that wants to know.
 */
export async function signOutEverywhere(web: Web, ctx: WebContext): Promise<Departure | undefined> {
  const { signedIn } = ctx.state;
  if (!signedIn?.idpLogout) {
    await signOut(web, ctx);
    return undefined;
  }
  const { federation, entry } = await lookUpProvider(web, signedIn);
  const provider = entry?.provider;
  const federated = Boolean(federation && provider && logoutConnectorFor(provider, federation.access));
  const idpSessionId = await endHere(web, ctx, { ...signedIn, provider: entry?.name, federated });
  if (!federated || !federation || !provider) return undefined;
  return await startLogout(federation, provider, { identityId: signedIn.identityId, idpSessionId });
}

/** Answers with what the provider calls the session. */
async function endHere(web: Web, ctx: WebContext, ended: EndedSession): Promise<string | null> {
  const idpSessionId = await endOnce(web, ctx, ended);
  leaveSession(ctx);
  return idpSessionId;
}

async function endOnce(web: Web, ctx: WebContext, ended: EndedSession): Promise<string | null> {
  try {
    const end = (work: Work) => endSession(work, ended);
    return (await perform(web.runtime, { actor: web.actor(ctx) }, end)).idpSessionId;
  } catch (error) {
    // Somebody else has ended it at this moment.
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

interface Known {
  federation?: Federation;
  entry?: ProviderEntry | undefined;
}

/** Nothing about providers keeps anybody from leaving. */
async function lookUpProvider(web: Web, { provider }: SignedIn): Promise<Known> {
  if (provider === null) return {};
  try {
    const federation = await web.federation.open();
    return { federation, entry: await federation.source.lookUpById(provider) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'configuration_invalid') return {};
    throw error;
  }
}
