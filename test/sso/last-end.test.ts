import { expect, test } from 'vitest';
import { expiryOf, lastEnd } from '#src/sso/providers/describe-certificate.ts';
import { fixture } from '#test/sso/given-provider.ts';

const EXPIRED = fixture('expired.crt');
const STRONG = fixture('strong.crt');

test.each<[string, string[], string, string | undefined]>([
  ['the later of two that serve, whatever their order', [STRONG, EXPIRED], '2027-01-01', STRONG],
  ['the one that is over, when there is no other', [EXPIRED], '2027-01-01', EXPIRED],
  ['the one that is over, as long as the next has not begun', [STRONG, EXPIRED], '2022-01-01', EXPIRED],
  ['nothing when none has begun', [STRONG], '2022-01-01', undefined],
  ['nothing when there is none', [], '2027-01-01', undefined],
])('the end of %s counts', (_, certificates, now, counted) => {
  expect(lastEnd(certificates, new Date(now))).toEqual(counted && expiryOf(counted));
});
