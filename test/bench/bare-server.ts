import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'pg';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { announce } from '#test/bench/announce.ts';
import {
  type RejectedRow,
  type TransactionRow,
  toRejectedTransfer,
  toTransaction,
} from '#test/bench/bare-json.ts';
import type { BareSettings } from '#test/bench/bare-settings.ts';

/** What the product is measured against: node:http, pg, and the product's own statements. Argument: BareSettings. */
const settings: BareSettings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const pool = new Pool(settings.pool);
const types = { getTypeParser: () => (text: string) => text };

const server = createServer((request, response) => void answer(request, response));

async function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const digest = apiKeyDigest(String(headers['x-api-key']));
  const { pathname, searchParams } = new URL(url, 'http://bare');
  const body = pathname.startsWith('/api/v1/transactions/')
    ? await transaction(digest, pathname.slice(21))
    : await list(digest, searchParams);
  const text = JSON.stringify(body ?? { error: 'unauthorized' });
  response.writeHead(body === undefined ? 401 : 200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function transaction(digest: Buffer | undefined, id: string) {
  const [row] = await run<TransactionRow>('transaction_by_key', [digest, id]);
  return row && toTransaction(row);
}

async function list(digest: Buffer | undefined, query: URLSearchParams) {
  const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 25)];
  const [account, from, to] = [query.get('account_id'), query.get('start_date'), query.get('end_date')];
  const name = `rejected_transfers${account ? '_account' : ''}${from ? '_from' : ''}${to ? '_to' : ''}_by_key`;
  const filters = [account, from, to].filter((value) => value !== null);
  const rows = await run<RejectedRow>(name, [digest, perPage, (page - 1) * perPage, ...filters]);
  if (!rows[0]) return undefined;
  const total = Number(rows[0].total);
  return {
    rejected_transfers: rows[0].id === null ? [] : rows.map(toRejectedTransfer),
    pagination: { page, per_page: perPage, total_count: total, total_pages: Math.ceil(total / perPage) },
  };
}

async function run<Row extends object>(name: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text: settings.statements[name] ?? '', values, types })).rows;
}

announce(server);
