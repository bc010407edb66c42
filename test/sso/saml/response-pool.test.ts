import { performance } from 'node:perf_hooks';
import { beforeAll, expect, test } from 'vitest';
import type { ResponseCheck } from '#src/sso/saml/login/response-check.ts';
import { createResponsePool } from '#src/sso/saml/login/response-pool.ts';
import { reasonOf } from '#test/sso/support/providers.ts';
import { checkOf } from '#test/sso/support/response-check.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { ACS_URL } from '#test/sso/support/saml-login.ts';

let idp: SamlIdp;
let check: ResponseCheck;
beforeAll(async () => {
  idp = await createSamlIdp();
  check = await answerOf(['staff']);
});

async function answerOf(groups: string[]): Promise<ResponseCheck> {
  const { SAMLResponse } = await idp.answer({ requestId: '_1', acsUrl: ACS_URL, attributes: { groups } });
  return checkOf(idp, SAMLResponse);
}

test('responses are judged beside the thread that answers requests', async () => {
  const pool = createResponsePool();
  await pool.validate(check);
  const large = await answerOf(Array.from({ length: 1_500 }, (_, index) => `cn=group-${index},ou=groups`));
  const before = performance.eventLoopUtilization();

  const verdicts = await Promise.all(Array.from({ length: 4 }, () => pool.validate(large)));

  expect(verdicts.every(({ identity }) => identity?.groups?.length === 1_500)).toBe(true);
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  pool.close();
});

test('a response that takes too long is refused, and the next one is judged', async () => {
  const impatient = createResponsePool({ timeout: 1 });

  expect(await reasonOf(impatient.validate(check))).toBe('message_invalid');
  impatient.close();
});

test('what cannot be judged is refused, and the next one is judged', async () => {
  const pool = createResponsePool();
  const unclonable = { ...check, now: (() => 0) as unknown as number };

  expect(await reasonOf(pool.validate(unclonable))).toBe('message_invalid');
  expect((await pool.validate(check)).identity?.subject).toBe('ada@example.com');
  pool.close();
});

test('what is still to be judged when the process stops is refused', async () => {
  const pool = createResponsePool();
  const waiting = reasonOf(pool.validate(check));

  pool.close();

  expect(await waiting).toBe('message_invalid');
});
