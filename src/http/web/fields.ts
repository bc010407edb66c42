import { type Html, html } from '#src/http/html.ts';
import type { Problem } from '#src/http/web/layout.ts';

interface Input {
  /** Its id is the same. */
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'date' | 'search';
  value?: string | undefined;
  /** Said between label and input. */
  hint?: string | undefined;
  autocomplete?: string;
  required?: boolean;
  /** Where typing begins. */
  autofocus?: boolean;
  /** The problems of the page: those about this field are tied to it. */
  problems?: readonly Problem[] | undefined;
}

/** A labelled input with its hint, and with what is wrong with it. */
export function inputField({ name, label, type = 'text', value, hint, problems, ...rest }: Input): Html {
  const wrong = problems?.find(({ field }) => field === name);
  const described = [hint && `${name}-hint`, wrong && `${name}-error`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${wrong && html`<p class="error" id="${name}-error">${wrong.message}</p>`}
<input id="${name}" name="${name}" type="${type}"${value !== undefined && html` value="${value}"`}${
    rest.autocomplete && html` autocomplete="${rest.autocomplete}"`
  }${rest.required && html` required`}${rest.autofocus && html` autofocus`}${
    described && html` aria-describedby="${described}"`
  }${wrong && html` aria-invalid="true"`}>
</div>`;
}

interface Select {
  name: string;
  label: string;
  options: readonly { value: string; text: string }[];
  value?: string | undefined;
}

export function selectField({ name, label, options, value }: Select): Html {
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}">
${options.map(
  (option) =>
    html`<option value="${option.value}"${option.value === value && html` selected`}>${option.text}</option>`,
)}
</select>
</div>`;
}
