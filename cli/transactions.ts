import { type Databases, UP_TO_DATE } from '#cli/open-databases.ts';
import type { Actor, Work } from '#src/kernel/work.ts';

/** Runs tasks as one transaction each, in the name of whom `reference` names. */
export function transactions({ open }: Databases, signal: AbortSignal, reference: () => string | undefined) {
  return async <Result>(task: (work: Work) => Promise<Result>, dryRun: boolean): Promise<Result> => {
    const [runtime, { perform }, { interruptible }] = await Promise.all([
      open(UP_TO_DATE),
      import('#src/kernel/perform.ts'),
      import('#cli/interruption.ts'),
    ]);
    const actor: Actor = { kind: 'cli', osUser: await osUser() };
    return perform(runtime, { actor, dryRun }, interruptible(signal, actingAs(reference(), task)));
  };
}

/** The task, done in the name of the user that `reference` names, who must be allowed to at that moment. */
function actingAs<Result>(
  reference: string | undefined,
  task: (work: Work) => Promise<Result>,
): (work: Work) => Promise<Result> {
  if (reference === undefined) return task;
  return async (work) => {
    const { requireActor } = await import('#src/users/require-actor.ts');
    const userId = await requireActor(work, reference);
    return task({ ...work, actor: { ...work.actor, userId } });
  };
}

async function osUser(): Promise<string | undefined> {
  const { userInfo } = await import('node:os');
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
    return process.getuid?.().toString();
  }
}
