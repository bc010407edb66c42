import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { countOf } from '#src/http/web/markup.ts';
import type { Departure } from '#src/users/delete-user.ts';

interface DeleteUserPage {
  departure: Departure;
  token: Html;
  typed: string | undefined;
  problems: Problem[] | undefined;
}

export function deleteUserPage({ departure, token, typed, problems }: DeleteUserPage): Page {
  const { user } = departure;
  return {
    title: `Delete ${user.email}`,
    problems,
    body: html`<div class="warning">
<p>This cannot be undone. With ${user.email} go:</p>
<ul>
${whatGoes(departure).map((item) => html`<li>${item}</li>`)}
</ul>
<p>What the audit log says stays.</p>
</div>
<form class="stack" method="post" action="/admin/users/${user.id}/delete">${token}
${inputField({
  name: 'confirmation',
  label: 'Type the email to confirm',
  hint: user.email,
  value: typed,
  autocomplete: 'off',
  required: true,
  problems,
})}
<div class="actions"><button class="danger">Delete for good</button><a class="button quiet" href="/admin/users/${user.id}">Cancel</a></div>
</form>`,
  };
}

/** For somebody who cannot be deleted, whatever is typed. */
export function noDeletionPage({ id, problems }: { id: string; problems: Problem[] }): Page {
  return {
    title: 'Delete a user',
    problems,
    body: html`<p><a href="/admin/users/${id}">Back to the user</a></p>`,
  };
}

function whatGoes({ apiKeys, sessions, takesFamily, familyName, entries }: Departure): (string | Html)[] {
  const own = [countOf(apiKeys, 'API key'), countOf(sessions, 'session')];
  if (!takesFamily) return own;
  return [
    ...own,
    html`the family <strong>${familyName}</strong>, because nobody else is left in it, and its whole ledger: all accounts, and <strong>${countOf(entries, 'entry', 'entries')}</strong>`,
  ];
}
