import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'pg';
import { loadConfig } from '#config/env.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import { announce } from '#test/bench/announce.ts';
import type { BareSettings } from '#test/bench/bare-settings.ts';
import type { RecordedAnswer } from '#test/bench/record-answer.ts';
import { sessionToken } from '#test/bench/session-token.ts';

/**
 * What the product's pages are measured against: node:http and pg. Whoever sends a session is looked up with the
 * product's own statement, then gets what the product once answered. Arguments: BareSettings, RecordedAnswer[].
 */
const settings: BareSettings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const answers: RecordedAnswer[] = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8'));
const pool = new Pool(settings.pool);
const types = { getTypeParser: () => (text: string) => text };
const { idleMinutes } = loadConfig({}).session;

const server = createServer((request, response) => void answer(request, response));

async function answer({ url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = sessionToken(headers.cookie);
  const signedIn = token !== undefined;
  const recorded = answers.find((each) => each.path === url && each.signedIn === signedIn);
  if (!recorded || (signedIn && !(await isLive(token)))) {
    response.writeHead(401).end();
    return;
  }
  response.writeHead(recorded.status, recorded.headers).end(recorded.body);
}

async function isLive(token: string): Promise<boolean> {
  const name = 'look_up_session';
  const text = settings.statements[name] ?? '';
  const { rows } = await pool.query({ name, text, values: [tokenDigest(token), idleMinutes], types });
  return rows.length > 0;
}

announce(server);
