import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '#src/kernel/new-id.ts';

/** What is wrong with bytes that never became a request. */
interface ProtocolError {
  status: number;
  error: string;
  message: string;
}

const MALFORMED: ProtocolError = {
  status: 400,
  error: 'bad_request',
  message: 'This is not a valid HTTP request',
};
const NO_HOST: ProtocolError = { status: 400, error: 'bad_request', message: 'The Host header is missing' };
const UNMET: ProtocolError = {
  status: 417,
  error: 'expectation_failed',
  message: 'Only "Expect: 100-continue" can be met',
};
const NO_TUNNEL: ProtocolError = { status: 405, error: 'method_not_allowed', message: 'This is not a proxy' };

const BY_CODE: Record<string, ProtocolError> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    error: 'request_header_fields_too_large',
    message: 'The request line and headers are too large',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    error: 'payload_too_large',
    message: 'The chunk extensions are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    error: 'request_timeout',
    message: 'The request did not arrive in time',
  },
};

/** The response Node has attached to a connection; internal, and the only way to know whether one has begun. */
type Connection = Duplex & { _httpMessage?: ServerResponse | null };

/** Answers what never reaches the application, which would otherwise get Node's empty bodies. */
export function answerProtocolErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    // oxlint-disable-next-line no-underscore-dangle
    const begun = socket._httpMessage?.headersSent ?? false;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) socket.destroy();
    else writeRaw(socket, BY_CODE[error.code ?? ''] ?? MALFORMED);
  });
  server.on('checkExpectation', (_request, res: ServerResponse) => answer(res, UNMET));
  server.on('connect', (_request, socket) => writeRaw(socket, NO_TUNNEL));
}

/** RFC 9112, section 3.2: a request of HTTP/1.1 without Host must be refused. */
export function refuseMissingHost(res: ServerResponse): void {
  answer(res, NO_HOST);
}

function answer(res: ServerResponse, problem: ProtocolError): void {
  const { status, headers, body } = compose(problem);
  res.writeHead(status, headers).end(body);
}

function writeRaw(socket: Duplex, problem: ProtocolError): void {
  const { status, headers, body } = compose(problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () =>
    socket.destroy(),
  );
}

function compose({ status, error, message }: ProtocolError) {
  const body = JSON.stringify({ error, message });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': newId(),
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
  return { status, headers, body };
}
