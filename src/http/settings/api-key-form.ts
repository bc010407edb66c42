import { SCOPES } from '#src/auth/scope.ts';
import { isCalendarDate } from '#src/http/api/calendar-date.ts';
import type { Fields } from '#src/http/fields.ts';
import { problemOf } from '#src/http/form-refusal.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { requireOneOf, requireText } from '#src/kernel/text.ts';

interface ApiKeyForm {
  name: string;
  scope: string;
  expiresAt: Date | undefined;
  /** Everything that is wrong, in the order of the form; `createApiKey` alone knows whether the name is taken. */
  problems: Problem[];
}

export function readApiKeyForm(fields: Fields, now: Date): ApiKeyForm {
  const name = fields.get('name') ?? '';
  const scope = fields.get('scope') ?? '';
  const day = fields.get('expires_on')?.trim() ?? '';
  const expiresAt = isCalendarDate(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  const problems = [
    ...problemOf('name', () => requireText('the name', name, 100)),
    ...problemOf('scope', () => requireOneOf('the scope', scope, SCOPES)),
  ];
  if (day !== '' && !expiresAt) {
    problems.push({ message: 'The expiry must be a day, written YYYY-MM-DD', field: 'expires_on' });
  } else if (expiresAt && expiresAt <= now) {
    problems.push({ message: 'The expiry must be a day in the future', field: 'expires_on' });
  }
  return { name, scope, expiresAt, problems };
}
