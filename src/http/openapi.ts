import { z } from 'zod';
import type { Scope } from '#src/auth/scope.ts';
import { OPERATIONS } from '#src/http/api/operations.ts';
import { SCHEMAS } from '#src/http/api/schemas.ts';
import { TOKEN_OPERATION } from '#src/http/oauth/token-operation.ts';

const ABOUT = `Reads of one family's ledger.

Send an API key in the header \`X-Api-Key\`, or a token that \`/oauth/token\` issued for one as \`Authorization: Bearer\`;
a request with both is refused. A key sees its owner's family and nothing else: what belongs to others is answered like
what does not exist. Every answer carries \`X-Request-Id\`; one sent along is kept.

Money leaving an account is positive, money entering it negative. Within v1, fields and operations are only added.`;

/** OpenAPI 3.1, with `appUrl` as the server. */
export function openApiDocument(appUrl: string): object {
  return {
    openapi: '3.1.1',
    info: { title: 'Personal finance API', version: '1.0.0', description: ABOUT },
    servers: [{ url: appUrl }],
    security: [{ ApiKey: [] }, { AccessToken: ['read'] }],
    tags: ['Transfers', 'Transactions', 'Accounts', 'Access tokens', 'Description'].map((name) => ({ name })),
    paths: { ...OPERATIONS, ...TOKEN_OPERATION },
    components: {
      securitySchemes: securitySchemes(appUrl),
      schemas: jsonSchemas(),
    },
  };
}

function securitySchemes(appUrl: string): object {
  const scopes = { read: 'Reads', read_write: 'Reads and writes' } satisfies Record<Scope, string>;
  return {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: '`fin_` and 43 characters' },
    AccessToken: {
      type: 'oauth2',
      description: 'A token for an API key: its id is the client id, the key the client secret',
      flows: { clientCredentials: { tokenUrl: `${appUrl}/oauth/token`, scopes } },
    },
    ClientCredentials: { type: 'http', scheme: 'basic', description: 'Id of an API key, and the key' },
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
