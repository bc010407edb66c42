import { describe, expect, test } from 'vitest';
import {
  hasEndedBy,
  isShorter,
  lockUntil,
  planRetention,
  pruneBefore,
} from '#src/audit/archive/retention/retention.ts';

const planAt = (tier: 'standard' | 'extended' | 'compliance', now: string, olderThan?: number) => {
  const { archives, archiveBefore, removeBefore } = planRetention(tier, new Date(now), olderThan);
  return [archives, archiveBefore.toISOString(), removeBefore.toISOString()];
};

describe('the timeline', () => {
  test.each([
    ['standard', '2026-11-22T18:00:01Z', false, '2026-08-24T18:00:01.000Z', '2026-08-24T18:00:01.000Z'],
    ['extended', '2026-11-22T18:00:01Z', true, '2026-08-24T18:00:01.000Z', '2025-11-22T18:00:01.000Z'],
    ['compliance', '2026-11-22T18:00:01Z', true, '2026-08-24T18:00:01.000Z', '2025-11-22T18:00:01.000Z'],
    // A leap day makes a year of 366 days, and there is none a year before it.
    ['extended', '2028-02-29T12:00:00Z', true, '2027-12-01T12:00:00.000Z', '2027-02-28T12:00:00.000Z'],
    ['extended', '2028-03-01T00:00:00Z', true, '2027-12-02T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
    ['extended', '2029-02-28T23:59:59Z', true, '2028-11-30T23:59:59.000Z', '2028-02-28T23:59:59.000Z'],
    ['standard', '2028-03-01T00:00:00Z', false, '2027-12-02T00:00:00.000Z', '2027-12-02T00:00:00.000Z'],
  ] as const)('%s at %s', (tier, now, archives, archiveBefore, removeBefore) => {
    expect(planAt(tier, now)).toEqual([archives, archiveBefore, removeBefore]);
  });

  test('can be waited longer with, and never shorter', () => {
    const now = '2026-11-22T00:00:00Z';
    expect(planAt('extended', now, 120)[1]).toBe('2026-07-25T00:00:00.000Z');
    expect(planAt('extended', now, 30)[1]).toBe('2026-08-24T00:00:00.000Z');
    expect(planAt('extended', now, 400)[2]).toBe('2025-10-18T00:00:00.000Z');
    expect(planAt('standard', now, 120)[2]).toBe('2026-07-25T00:00:00.000Z');
  });

  test.each([
    ['extended', '2026-11-22T00:00:00Z', '2025-11-22T00:00:00.000Z'],
    ['compliance', '2026-11-22T00:00:00Z', '2019-11-22T00:00:00.000Z'],
    ['compliance', '2028-02-29T00:00:00Z', '2021-02-28T00:00:00.000Z'],
  ] as const)('archives of %s at %s', (tier, now, before) => {
    expect(pruneBefore(tier, new Date(now)).toISOString()).toBe(before);
  });

  test('a day has ended with its last instant', () => {
    expect(hasEndedBy('2026-08-23', new Date('2026-08-24T00:00:00.000Z'))).toBe(true);
    expect(hasEndedBy('2026-08-23', new Date('2026-08-23T23:59:59.999Z'))).toBe(false);
  });

  test.each(['2026-08-01', '2024-02-28', '2024-02-29', '2025-12-31'])(
    'a lock of %s ends when it may be pruned',
    (day) => {
      const until = lockUntil('compliance', day) ?? new Date(0);
      expect(lockUntil('extended', day)).toBeUndefined();
      expect(hasEndedBy(day, pruneBefore('compliance', until))).toBe(true);
      expect(hasEndedBy(day, pruneBefore('compliance', new Date(until.getTime() - 1)))).toBe(false);
    },
  );

  test('is shorter in this order', () => {
    expect(isShorter('standard', 'extended')).toBe(true);
    expect(isShorter('compliance', 'extended')).toBe(false);
    expect(isShorter('extended', 'extended')).toBe(false);
  });
});
