import type { Server } from 'node:http';
import type { ListenOptions as SocketOptions } from 'node:net';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface Listening {
  servers: Server[];
  port: number;
}

interface ListenOptions {
  names?: Names;
  /** Whether several processes of ours listen there. */
  isShared?: boolean;
}

/** The kernel spreads connections over processes; elsewhere the process that leads them does. */
const CAN_SHARE = process.platform === 'linux';

/** The settings that port and host come from, for what is said about them. */
interface Names {
  port: string;
  host: string;
}

const STANDARD_NAMES: Names = { port: 'PORT', host: 'HOST' };

/** What this machine lacks, as opposed to what somebody else holds. */
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);
const ATTEMPTS = 5;

/**
 * Opens `port` on `host`; 0 takes any free port. `localhost` means both loopback addresses, as far as the machine
 * has them, on the same port: whichever of the two a client tries first, it finds us.
 */
export async function listen(
  create: () => Server,
  host: string,
  port: number,
  { names = STANDARD_NAMES, isShared = false }: ListenOptions = {},
): Promise<Listening> {
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenOn(create, addresses, { port, isShared });
    } catch (error) {
      // A port that is free on one address may be taken on the other; another one will do.
      if (port !== 0 || errorCode(error) !== 'EADDRINUSE' || attempt === ATTEMPTS)
        throw explain(error, host, port, names);
    }
  }
}

async function listenOn(
  create: () => Server,
  addresses: string[],
  { port: wanted, isShared }: { port: number; isShared: boolean },
): Promise<Listening> {
  const servers: Server[] = [];
  let port = wanted;
  let refusal: unknown;
  try {
    for (const address of addresses) {
      const server = create();
      try {
        port = await open(server, { host: address, port, reusePort: isShared && CAN_SHARE });
        servers.push(server);
      } catch (error) {
        if (!ABSENT.has(errorCode(error) ?? '')) throw error;
        refusal = error;
      }
    }
    if (servers.length === 0) throw refusal;
    return { servers, port };
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
}

function open(server: Server, options: SocketOptions & { port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.removeListener('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : options.port);
    });
  });
}

function explain(error: unknown, host: string, port: number, names: Names): unknown {
  const code = errorCode(error);
  const refuse = (message: string, hint: string) =>
    new AppError('configuration_invalid', message, { hint, cause: error });

  if (code === 'EADDRINUSE') {
    return refuse(
      `${names.port} ${port} is in use by another program`,
      `Stop that program, or choose another port, for example ${names.port}=${(port % 65_535) + 1}; 0 takes any free one.`,
    );
  }
  if (code === 'EACCES') {
    return refuse(
      `${names.port} ${port} is not open to this user`,
      `Choose a ${names.port} of 1024 or more, or let a proxy listen there.`,
    );
  }
  if (ABSENT.has(code ?? '') || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return refuse(
      `${names.host} ${host} is no address of this machine`,
      'Use localhost, 0.0.0.0 for every interface, or one of its addresses.',
    );
  }
  return error;
}
