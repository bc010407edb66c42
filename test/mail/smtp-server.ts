import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';
import { afterEach } from 'vitest';

export interface Delivery {
  from: string;
  to: string[];
  /** Headers and text as they came. */
  data: string;
}

interface Behaviour {
  /** What it answers to a command instead of 250, such as `{ 'RCPT': '550 no such user' }`. */
  answers?: Record<string, string>;
  /** Offers AUTH PLAIN and LOGIN. */
  auth?: boolean;
  /** Speaks TLS from the first byte. */
  tls?: TlsOptions;
}

/** A mail server on loopback that speaks enough SMTP to take a mail, and keeps what it was told. */
export function useSmtpServer() {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  return async (behaviour: Behaviour = {}) => {
    const deliveries: Delivery[] = [];
    const commands: string[] = [];
    const hear = (socket: Socket) => converse(socket, behaviour, { deliveries, commands });
    const server = behaviour.tls ? createSecureServer(behaviour.tls, hear) : createServer(hear);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return { port, deliveries, commands };
  };
}

type Notes = { deliveries: Delivery[]; commands: string[] };

function converse(socket: Socket, { answers = {}, auth }: Behaviour, { deliveries, commands }: Notes): void {
  let mail: Delivery = { from: '', to: [], data: '' };
  let rest = '';
  let inData = false;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const greeting = () => (auth ? ['250-loopback', '250 AUTH PLAIN LOGIN'] : ['250 loopback']);

  const hear = (line: string) => {
    if (inData) {
      if (line !== '.') mail.data += `${line.replace(/^\.\./, '.')}\n`;
      else {
        inData = false;
        deliveries.push(mail);
        mail = { from: '', to: [], data: '' };
        say('250 taken');
      }
      return;
    }
    commands.push(line);
    const [verb = ''] = line.toUpperCase().split(/[ :]/);
    const address = /<(.*)>/.exec(line)?.[1] ?? '';
    const fixed = answers[verb];
    if (fixed) say(fixed);
    else if (verb === 'EHLO') greeting().forEach(say);
    else if (verb === 'AUTH') say('235 welcome');
    else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else {
      if (verb === 'MAIL') mail.from = address;
      if (verb === 'RCPT') mail.to.push(address);
      inData = verb === 'DATA';
      say(inData ? '354 go on' : '250 fine');
    }
  };

  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest += chunk.toString('utf8');
    const lines = rest.split('\r\n');
    rest = lines.pop() ?? '';
    lines.forEach(hear);
  });
  say('220 loopback');
}
