import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';

/** Whose the passwords of a form are: not sent, but password managers keep it together with them. First in the form. */
export function passwordOwner(email: string): Html {
  return html`<input type="text" value="${email}" autocomplete="username" hidden readonly>`;
}

/** The inputs for a password that is being chosen. */
export function newPasswordFields(problems: readonly Problem[]): Html {
  const shared = { type: 'password', autocomplete: 'new-password', required: true, problems } as const;
  return html`
${inputField({ ...shared, name: 'new_password', label: 'New password', hint: 'At least 12 characters. A few words of your own are easy to remember and hard to guess.' })}
${inputField({ ...shared, name: 'new_password_again', label: 'New password once more' })}`;
}

/** What was typed there; both must be the same. */
export function readNewPassword(fields: Fields): { password: string; problems: Problem[] } {
  const password = fields.get('new_password') ?? '';
  const same = password === fields.get('new_password_again');
  const message = 'The two new passwords are not the same';
  return { password, problems: same ? [] : [{ message, field: 'new_password_again' }] };
}
