import { type Html, html } from '#src/http/html.ts';
import type { Problem } from '#src/http/web/layout.ts';

/** A value to copy: it can be selected and not changed. */
export function copyField({
  id,
  label,
  value,
  hint,
}: {
  id: string;
  label: string;
  value: string;
  hint?: string;
}): Html {
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
<input id="${id}" type="text" value="${value}" readonly${hint && html` aria-describedby="${id}-hint"`}>
</div>`;
}

interface TextArea {
  name: string;
  label: string;
  value: string | undefined;
  hint?: string | undefined;
  rows?: number;
  problems?: readonly Problem[] | undefined;
}

/** Text of several lines. */
export function textArea({ name, label, value, hint, rows = 6, problems }: TextArea): Html {
  const wrong = problems?.some(({ field }) => field === name);
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false" autocomplete="off"${
    hint && html` aria-describedby="${name}-hint"`
  }${wrong && html` aria-invalid="true"`}>
${value ?? ''}</textarea>
</div>`;
}

/** A box that sends `true` when it is ticked, and nothing else. */
export function checkbox({
  name,
  label,
  isChecked,
  hint,
}: {
  name: string;
  label: string;
  isChecked: boolean;
  hint?: string | undefined;
}): Html {
  return html`<div class="field">
<div class="choice"><input id="${name}" name="${name}" type="checkbox" value="true"${isChecked && html` checked`}${
    hint && html` aria-describedby="${name}-hint"`
  }><label for="${name}">${label}</label></div>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}
