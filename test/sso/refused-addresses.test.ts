import { expect, test } from 'vitest';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';

const FORGE = {
  strategy: 'oauth2',
  name: 'forge',
  label: 'Forge',
  client_id: 'finance',
  client_secret: 'secret',
  authorization_url: 'https://forge.example/authorize',
  token_url: 'https://forge.example/token',
  userinfo_url: 'https://forge.example/user',
};

test.each([
  'http://169.254.169.254/t',
  'http://[fe80::1]/t',
  'http://[::ffff:169.254.169.254]/t',
  'http://0.0.0.0/t',
])('a provider at %s is not even saved', (url) => {
  expect(parseProvider({ ...FORGE, token_url: url }).problems?.map(({ field }) => field)).toEqual([
    'token_url',
  ]);
});

test.each(['https://10.1.2.3/t', 'http://127.0.0.1:8080/t', 'https://[2606:4700::1111]/t'])(
  'one at %s is',
  (url) => {
    expect(parseProvider({ ...FORGE, token_url: url }).problems).toBeUndefined();
  },
);
