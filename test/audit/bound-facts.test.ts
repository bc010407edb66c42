import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundFacts, boundText } from '#src/audit/bound-facts.ts';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { perform } from '#src/kernel/perform.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenUser } from '#test/users/given-user.ts';

const harness = useRuntime();

describe('a text from outside', () => {
  test.each([
    ['as it is', 'as it is'],
    ['two\r\nlines\tand\0more', 'twolinesandmore'],
    ['\u001b[2Jclear', '[2Jclear'],
    ['back\u202ewards\u2028next', 'backwardsnext'],
    ['x'.repeat(501), 'x'.repeat(500)],
    ['é😀', 'é😀'],
  ])('%j is kept as %j', (text, kept) => {
    expect(boundText(text)).toBe(kept);
  });

  test('is one well-formed line of at most 500 characters, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1_200 }), (text) => {
        const kept = boundText(text);
        expect(kept.length).toBeLessThanOrEqual(500);
        expect(kept.isWellFormed()).toBe(true);
        expect(kept).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('facts', () => {
  test('are bounded however deep they lie, and other values are left alone', () => {
    const facts = { email: 'a\nb', count: 3, none: null, list: ['x\0', { deep: '\u001b' }], yes: true };

    expect(boundFacts(facts)).toEqual({
      email: 'ab',
      count: 3,
      none: null,
      list: ['x', { deep: '' }],
      yes: true,
    });
  });

  test('that go on and on are cut', () => {
    const nest = (depth: number): Record<string, unknown> =>
      depth === 0 ? { text: 'x'.repeat(600) } : { inner: nest(depth - 1) };

    expect(JSON.stringify(boundFacts(nest(50))).length).toBeLessThan(1_500);
  });
});

test('what a browser and a form say is bounded where it is recorded', async () => {
  const { id } = await givenUser(harness, 'ada@example.com');
  const nasty = `Mozilla\r\n\u001b[31m${'x'.repeat(600)}`;
  const actor = { kind: 'web' as const, ipAddress: '::1\n', userAgent: nasty, requestId: 'r\0' };

  await perform(harness.runtime, { actor }, async (work) =>
    recordAuditEvent(work, 'login_failed', { userId: id, provider: 'o\nkta', metadata: { email: nasty } }),
  );

  const [event] = await harness.query(
    `select ip_address, user_agent, request_id, provider, metadata from audit_events
     where user_id = $1 and event_type = 'login_failed'`,
    [id],
  );
  const kept = `Mozilla[31m${'x'.repeat(600)}`.slice(0, 500);
  expect(event).toEqual({
    ip_address: '::1',
    user_agent: kept,
    request_id: 'r',
    provider: 'okta',
    metadata: { email: kept },
  });
});
