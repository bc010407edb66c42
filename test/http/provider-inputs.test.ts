import { expect, test } from 'vitest';
import { inputsOf } from '#src/http/admin/sso-provider-inputs.ts';
import { STRATEGIES } from '#src/sso/providers/provider.ts';

test('the form offers to trust emails where verification is asked for, and nowhere else', () => {
  const offering = STRATEGIES.filter((strategy) =>
    inputsOf(strategy).some(({ name }) => name === 'trust_email'),
  );

  expect(offering).toEqual(['openid_connect']);
});
