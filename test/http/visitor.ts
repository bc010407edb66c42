import { type HTMLElement, parse } from 'node-html-parser';
import type { Served } from '#test/http/serve.ts';

/** What a page answered, and its markup to look into. */
export interface Visited {
  status: number;
  headers: Headers;
  /** Where it sends the browser; empty when it stays. */
  location: string;
  text: string;
  root: HTMLElement;
}

interface Sending {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A browser without scripts: keeps cookies, fills in forms, follows nothing by itself. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Visited>;
  send(path: string, sending: Sending): Promise<Visited>;
  /** Sends the form of a page that goes to `action`, with what it holds and what is filled in. */
  submit(page: Visited, action: string, values?: Record<string, string>): Promise<Visited>;
  /** Opens the page, sends its form, follows where that leads. */
  fill(path: string, action: string, values?: Record<string, string>): Promise<Visited>;
  /** Follows redirects until a page. */
  follow(page: Visited): Promise<Visited>;
}

/** `origin` is what people see behind a proxy. */
export function visit({ url }: Pick<Served, 'url'>, origin = url): Visitor {
  const cookies = new Map<string, string>();

  const send = async (path: string, { method = 'GET', headers = {}, body }: Sending): Promise<Visited> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { Accept: 'text/html', ...(cookie && { Cookie: cookie }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const text = await response.text();
    const location = response.headers.get('location') ?? '';
    return { status: response.status, headers: response.headers, location, text, root: parse(text) };
  };
  const submit = (page: Visited, action: string, values: Record<string, string> = {}) => {
    const form = page.root.querySelector(`form[action="${action}"]`);
    if (!form) throw new Error(`no form goes to ${action} in: ${page.text}`);
    const fields = new URLSearchParams(held(form));
    for (const [name, value] of Object.entries(values)) fields.set(name, value);
    if (form.getAttribute('method')?.toLowerCase() !== 'post')
      return send(`${action}?${fields.toString()}`, {});
    return send(action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin },
      body: fields.toString(),
    });
  };
  const follow = async (page: Visited): Promise<Visited> =>
    page.location === '' ? page : follow(await send(page.location, {}));

  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    send,
    submit,
    fill: async (path, action, values) => follow(await submit(await send(path, {}), action, values)),
    follow,
  };
}

/** What a form sends when nobody touches it. */
function held(form: HTMLElement): [string, string][] {
  return form.querySelectorAll('input, select, textarea').flatMap((element): [string, string][] => {
    const name = element.getAttribute('name');
    const type = element.getAttribute('type');
    if (name === undefined) return [];
    if ((type === 'checkbox' || type === 'radio') && !element.hasAttribute('checked')) return [];
    if (element.tagName === 'SELECT') {
      const options = element.querySelectorAll('option');
      const chosen = options.find((option) => option.hasAttribute('selected')) ?? options[0];
      return [[name, chosen?.getAttribute('value') ?? '']];
    }
    return [[name, element.getAttribute('value') ?? element.text]];
  });
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}
