import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { description } from '#test/http/contract.ts';
import { serve, withoutDatabase } from '#test/http/serve.ts';

test('is served without a key, with APP_URL as its server whatever Host says', async () => {
  const runtime = await withoutDatabase({ APP_URL: 'https://money.example/' });
  await using served = await serve(runtime);

  const answer = await served.ask('/api/v1/openapi.json', {
    headers: { 'X-Forwarded-Host': 'evil.example' },
  });

  expect(answer.status).toBe(200);
  expect(answer.body.servers).toEqual([{ url: 'https://money.example' }]);
  expect(answer.body.paths).toEqual(description.paths);
  await runtime.close();
});

test('has the schemas of the specification', () => {
  expect(Object.keys(description.components.schemas)).toEqual(
    expect.arrayContaining([
      'ErrorResponse',
      'Pagination',
      'RejectedTransfer',
      'RejectedTransferCollection',
      'Transaction',
      'TransferTransactionSide',
    ]),
  );
  const { RejectedTransferCollection, Pagination, ErrorResponse, TransferTransactionSide } =
    description.components.schemas;
  expect(RejectedTransferCollection?.required).toEqual(['rejected_transfers', 'pagination']);
  expect(Pagination?.required).toEqual(['page', 'per_page', 'total_count', 'total_pages']);
  expect(ErrorResponse?.required).toEqual(['error']);
  expect(TransferTransactionSide?.required).toEqual([
    'id',
    'entry_id',
    'date',
    'amount',
    'amount_cents',
    'currency',
    'name',
    'kind',
    'account',
  ]);
});

test.each(Object.entries(description.components.schemas))('%s is a JSON Schema of 2020-12', (_, schema) => {
  const ajv = new Ajv2020({ strict: false });

  void ajv.validateSchema(schema);

  expect(ajv.errors ?? []).toEqual([]);
});

test('every reference leads somewhere', () => {
  const references = JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  const names = [...new Set([...references].map((match) => match[1]))];

  expect(names.length).toBeGreaterThan(5);
  expect(Object.keys(description.components.schemas)).toEqual(expect.arrayContaining(names));
});

test('every operation is routed, names its path parameters and has an id of its own', async () => {
  const runtime = await withoutDatabase();
  await using served = await serve(runtime);
  const ids: string[] = [];

  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      ids.push(operation.operationId);
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(placeholders);

      const { status } = await served.ask(path.replace('{id}', 'x'), { method: method.toUpperCase() });
      // Without its database, an operation that counts first cannot get further than that.
      expect(path === '/oauth/token' ? [503] : [200, 401]).toContain(status);
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('listRejectedTransfers');
  await runtime.close();
});
