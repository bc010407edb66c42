import { z } from 'zod';
import { OPERATIONS } from '#src/http/api/operations.ts';
import { SCHEMAS } from '#src/http/api/schemas.ts';

const ABOUT = `Reads of one family's ledger.

Send an API key in the header \`X-Api-Key\`. A key sees its owner's family and nothing else: what belongs to others
is answered like what does not exist. Every answer carries \`X-Request-Id\`; one sent along is kept.

Money leaving an account is positive, money entering it negative. Within v1, fields and operations are only added.`;

/** OpenAPI 3.1, with `appUrl` as the server. */
export function openApiDocument(appUrl: string): object {
  return {
    openapi: '3.1.1',
    info: { title: 'Personal finance API', version: '1.0.0', description: ABOUT },
    servers: [{ url: appUrl }],
    security: [{ ApiKey: [] }],
    tags: [{ name: 'Transfers' }, { name: 'Transactions' }, { name: 'Accounts' }, { name: 'Description' }],
    paths: OPERATIONS,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: '`fin_` and 43 characters' },
      },
      schemas: jsonSchemas(),
    },
  };
}

function jsonSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });

  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'output',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Fields may be added within v1; clients must not refuse them.
      if (jsonSchema.properties) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutIdentity(schema)]));
}

/** Inside one document, a schema is known by its place. */
function withoutIdentity(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !['$schema', '$id', 'id'].includes(key)),
  );
}
