import { setTimeout as sleep } from 'node:timers/promises';
import type { Presence } from '#src/embedded/presence.ts';

export type Notice = (event: string, fields: Record<string, unknown>) => void;

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** Holds a presence and renews it whenever it breaks, until asked to hand it over for leaving. */
export function keepPresence(first: Presence, renew: (port: number) => Promise<Presence>, notice: Notice) {
  const leaving = new AbortController();
  let presence: Presence | undefined;
  let renewal: Promise<void> | undefined;

  hold(first);
  return {
    async handOver(): Promise<Presence | undefined> {
      leaving.abort();
      await renewal;
      return presence;
    },
  };

  function hold(held: Presence): void {
    presence = held;
    // Being present must not keep a process alive that has nothing else to do.
    held.socket.unref();
    held.client.once('end', () => {
      presence = undefined;
      if (!leaving.signal.aborted) renewal = renewUntilHeld(held.port);
    });
  }

  async function renewUntilHeld(port: number): Promise<void> {
    notice('embedded_database_lost', { port });
    for (let delay = FIRST_DELAY_MS; !leaving.signal.aborted; delay = Math.min(2 * delay, LONGEST_DELAY_MS)) {
      try {
        const renewed = await renew(port);
        hold(renewed);
        // Elsewhere only when another program took the port meanwhile; then this process must be started again.
        const event = renewed.port === port ? 'embedded_database_rejoined' : 'embedded_database_moved';
        notice(event, { port: renewed.port });
        return;
      } catch (error) {
        notice('embedded_database_unavailable', { error, retryInMs: delay });
        await sleep(delay, undefined, { ref: false, signal: leaving.signal }).catch(() => undefined);
      }
    }
  }
}
