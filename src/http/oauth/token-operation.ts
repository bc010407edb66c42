import { SCOPES } from '#src/auth/scope.ts';
import { RETRY_AFTER, response } from '#src/http/api/responses.ts';

const CHALLENGE = {
  'WWW-Authenticate': { description: '`Basic realm="oauth"`', schema: { type: 'string' } },
};

const text = (description: string) => ({ type: 'string', description });

const FORM = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { type: 'string', const: 'client_credentials' },
    client_id: text('The id of an API key; not needed with HTTP Basic'),
    client_secret: text('The API key itself; never together with HTTP Basic'),
    scope: { type: 'string', enum: SCOPES, description: "At most the key's own, which is the default" },
  },
};

/** The path of the description that is not under `/api`. */
export const TOKEN_OPERATION = {
  '/oauth/token': {
    post: {
      tags: ['Access tokens'],
      operationId: 'issueAccessToken',
      summary: 'A bearer token for an API key',
      description:
        'RFC 6749, section 4.4: the id of the key is the client id and the key is the client secret, by HTTP Basic or in the form. ' +
        'The token lives an hour, never longer than its key, and ends at once with the key or its owner. ' +
        'At most 10 requests per minute and address.',
      security: [{ ClientCredentials: [] }, {}],
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: FORM } },
      },
      responses: {
        200: response('The token, shown this once', 'AccessToken'),
        400: response('The request, the grant type or the scope is wrong', 'TokenError'),
        401: response('Not the id of an API key together with that key', 'TokenError', CHALLENGE),
        405: response('Anything but POST', 'ErrorResponse'),
        413: response('The request carries too large a body', 'ErrorResponse'),
        415: response('The body is no form', 'ErrorResponse'),
        429: response('More than 10 requests within a minute from one address', 'ErrorResponse', RETRY_AFTER),
        500: response('A fault on our side', 'ErrorResponse'),
        503: response('The database cannot be reached', 'ErrorResponse', RETRY_AFTER),
      },
    },
  },
};
