import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { openApiDocument } from '#src/http/openapi.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface Description {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { required?: string[] }> };
}

/** As the server serves it, however often a test needs it. */
export const description: Description = JSON.parse(JSON.stringify(openApiDocument('http://localhost:3000')));

const ROOT = 'http://contract.test/';
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: ROOT, components: closed(description.components) });

const ERROR = { $ref: '#/components/schemas/ErrorResponse' };

/** Holds one answer against the description: the status is announced, the body has its schema and nothing more. */
export function expectContract(method: string, path: string, status: number, body: unknown): void {
  const pathname = new URL(path, ROOT).pathname;
  const operation = operationAt(method, pathname);
  const announced = operation?.responses[status]?.content?.['application/json']?.schema;
  if (status < 400) expect(announced, `${method} ${pathname} announces ${status}`).toBeDefined();
  if (operation && ![404, 405].includes(status))
    expect(Object.keys(operation.responses)).toContain(String(status));

  const validate = validatorOf(announced ?? ERROR);
  validate(body);
  expect(validate.errors ?? [], `${method} ${path} ${status}`).toEqual([]);
}

function operationAt(method: string, pathname: string): Operation | undefined {
  const template = Object.keys(description.paths).find((path) =>
    new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  return template === undefined ? undefined : description.paths[template]?.[method.toLowerCase()];
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', `"${ROOT}#/`);
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate;
}

/** Clients must tolerate new fields; here, one that is not described is a mistake. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  return 'properties' in value && 'type' in value ? { ...schema, additionalProperties: false } : schema;
}
