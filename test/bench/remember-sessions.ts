import { registerHooks } from 'node:module';
import { lookUpSession as lookUp, type SignedIn } from '#src/auth/look-up-session.ts';
import type { Runtime } from '#src/kernel/work.ts';

const REPLACED = '#src/auth/look-up-session.ts';

const known = new Map<string, SignedIn | undefined>();

/** In place of the product's: each session is read once and never again, whatever happens to it. */
export async function lookUpSession(runtime: Runtime, token: string): Promise<SignedIn | undefined> {
  if (!known.has(token)) known.set(token, await lookUp(runtime, token));
  return known.get(token);
}

// Loaded before the product, which from here on gets this module where it asks for its own.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === REPLACED ? import.meta.url : specifier, context),
});
