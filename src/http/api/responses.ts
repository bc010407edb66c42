import type { SchemaName } from '#src/http/api/schemas.ts';

/** On every answer. */
export const HEADERS = {
  'X-Request-Id': { description: 'Quote it when asking for help', schema: { type: 'string' } },
};

export const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };

/** One answer of an operation, with a body of that schema. */
export function response(description: string, schema: SchemaName, headers: object = {}) {
  return {
    description,
    headers: { ...HEADERS, ...headers },
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}
