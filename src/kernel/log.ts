import { type Logger, pino, stdTimeFunctions } from 'pino';

export type Log = Logger;

/** Values under these names never reach the log, wherever they stand in an event. */
const SECRET_KEYS = ['password', 'secret', 'token', 'authorization', 'cookie', 'key', 'connectionString'];

/** One JSON line per event. The CLI logs to stderr (2), because stdout carries its results. */
export function createLog(level: string, destination: 1 | 2): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      messageKey: 'event',
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
    },
    pino.destination({ dest: destination, sync: true }),
  );
}
