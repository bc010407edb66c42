import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface PortWish {
  /** Asked for by the operator, or known to clients already: this one or none. */
  required?: number | undefined;
  preferred?: number | undefined;
}

export async function choosePort({ required, preferred }: PortWish): Promise<number> {
  if (required !== undefined) {
    const problem = await whyNot(required);
    if (problem === undefined) return required;
    throw new AppError('configuration_invalid', `Port ${required} on 127.0.0.1 cannot be used (${problem})`, {
      hint: 'Set EMBEDDED_DATABASE_PORT to a free port, or leave it unset to have one chosen.',
    });
  }
  // Below the range from which the kernel takes ports for outgoing connections: one of those must not block a restart.
  for (let port = preferred ?? anyPort(), tries = 0; tries < 50; port = anyPort(), tries++) {
    if ((await whyNot(port)) === undefined) return port;
  }
  throw new AppError('configuration_invalid', 'No free port was found on 127.0.0.1', {
    hint: 'Set EMBEDDED_DATABASE_PORT to a free port.',
  });
}

function anyPort(): number {
  return randomInt(20_000, 32_000);
}

async function whyNot(port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const probe = createServer();
  probe.once('error', (error) => resolve(errorCode(error) ?? error.message));
  probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  return promise;
}
