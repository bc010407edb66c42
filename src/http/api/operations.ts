import { HEADERS, response as plainResponse, RETRY_AFTER } from '#src/http/api/responses.ts';
import type { SchemaName } from '#src/http/api/schemas.ts';

interface Parameter {
  name: string;
  in: 'query' | 'path';
  required?: true;
  description: string;
  schema: object;
}

const uuid = { type: 'string', format: 'uuid' };
const date = { type: 'string', format: 'date' };

const query = (name: string, schema: object, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const PAGING = [
  query(
    'page',
    { type: 'integer', minimum: 1, default: 1 },
    'Never an error: anything but a positive integer counts as 1. A page past the end is an empty list.',
  ),
  query(
    'per_page',
    { type: 'integer', minimum: 1, maximum: 100, default: 25 },
    'Never an error: anything but a positive integer counts as 25, and more than 100 as 100.',
  ),
];

const ACCOUNT = (what: string) =>
  query('account_id', uuid, `Only ${what} this account. An unknown account gives an empty list.`);

const ID: Parameter = { name: 'id', in: 'path', required: true, description: 'Id', schema: uuid };

const LIMIT_HEADERS = {
  RateLimit: {
    description: 'While requests are limited, to every accepted key: `"api";r=<requests left>;t=<seconds>`',
    schema: { type: 'string' },
  },
};

/** Of an operation that needs a key or a token. */
function response(description: string, schema: SchemaName, headers: object = {}) {
  return plainResponse(description, schema, { ...LIMIT_HEADERS, ...headers });
}

const CHALLENGE = {
  'WWW-Authenticate': {
    description:
      '`Bearer realm="api"`, or `Bearer error="invalid_token"` for a token that does not open anything',
    schema: { type: 'string' },
  },
};

const ERRORS = {
  401: response('No API key or access token, not a valid one, or both at once', 'ErrorResponse', CHALLENGE),
  403: response('The scope of the key or token is insufficient', 'ErrorResponse'),
  413: response('The request carries too large a body', 'ErrorResponse'),
  429: response('More requests in this minute than the key may make', 'ErrorResponse', RETRY_AFTER),
  500: response('A fault on our side', 'ErrorResponse'),
  503: response('The database cannot be reached', 'ErrorResponse', RETRY_AFTER),
};

interface List {
  tag: string;
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  schema: SchemaName;
}

function list({ tag, operationId, summary, description, parameters, schema }: List) {
  const filtered = parameters.length > 0;
  return {
    get: {
      tags: [tag],
      operationId,
      summary,
      description: filtered
        ? `${description} An empty filter counts as absent; a filter given twice is invalid.`
        : description,
      parameters: [...PAGING, ...parameters],
      responses: {
        200: response(summary, schema),
        ...ERRORS,
        ...(filtered && { 422: response('A filter is invalid', 'ErrorResponse') }),
      },
    },
  };
}

interface Retrieval {
  tag: string;
  operationId: string;
  summary: string;
  schema: SchemaName;
}

function retrieval({ tag, operationId, summary, schema }: Retrieval) {
  return {
    get: {
      tags: [tag],
      operationId,
      summary,
      parameters: [ID],
      responses: {
        200: response(summary, schema),
        ...ERRORS,
        404: response("Unknown, malformed, or another family's id", 'ErrorResponse'),
      },
    },
  };
}

const DATES = [
  query('start_date', date, 'From this date, inclusive'),
  query('end_date', date, 'Until this date, inclusive; before start_date nothing matches'),
];

const SEARCH = query(
  'search',
  { type: 'string', maxLength: 200 },
  'Somewhere in the name or the notes, whatever the case',
);

/** The paths of the description. */
export const OPERATIONS = {
  '/api/v1/rejected_transfers': list({
    tag: 'Transfers',
    operationId: 'listRejectedTransfers',
    summary: 'Rejected transfers, newest first',
    description: 'With dates, a pair is listed when at least one of its sides lies within both bounds.',
    parameters: [ACCOUNT('pairs that involve'), ...DATES],
    schema: 'RejectedTransferCollection',
  }),
  '/api/v1/rejected_transfers/{id}': retrieval({
    tag: 'Transfers',
    operationId: 'retrieveRejectedTransfer',
    summary: 'One rejected transfer',
    schema: 'RejectedTransfer',
  }),
  '/api/v1/transactions': list({
    tag: 'Transactions',
    operationId: 'listTransactions',
    summary: 'Transactions, latest date first',
    description: 'Every filter narrows the list.',
    parameters: [ACCOUNT('transactions of'), ...DATES, SEARCH],
    schema: 'TransactionCollection',
  }),
  '/api/v1/transactions/{id}': retrieval({
    tag: 'Transactions',
    operationId: 'retrieveTransaction',
    summary: 'One transaction',
    schema: 'Transaction',
  }),
  '/api/v1/accounts': list({
    tag: 'Accounts',
    operationId: 'listAccounts',
    summary: 'Accounts by name',
    description: 'Accounts of every status.',
    parameters: [],
    schema: 'AccountCollection',
  }),
  '/api/v1/accounts/{id}': retrieval({
    tag: 'Accounts',
    operationId: 'retrieveAccount',
    summary: 'One account',
    schema: 'Account',
  }),
  '/api/v1/openapi.json': {
    get: {
      tags: ['Description'],
      operationId: 'describeApi',
      summary: 'This description',
      security: [],
      responses: {
        200: {
          description: 'OpenAPI 3.1',
          headers: HEADERS,
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        413: ERRORS[413],
        500: ERRORS[500],
      },
    },
  },
};
