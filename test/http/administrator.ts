import { givenPerson, type Person, signIn } from '#test/http/people.ts';
import type { Served } from '#test/http/serve.ts';
import type { Visited, Visitor } from '#test/http/visitor.ts';
import type { Harness } from '#test/support/database.ts';

const NOW_AND_THEN = "delete from rate_limits where key like 'admin:%'";

/** The same browser with all the time in the world: the limit of the admin pages begins anew before each request. */
export function unhurried(harness: Harness, visitor: Visitor): Visitor {
  const calm =
    <Given extends unknown[]>(visit: (...given: Given) => Promise<Visited>) =>
    async (...given: Given) => {
      await harness.query(NOW_AND_THEN);
      return visit(...given);
    };
  return {
    cookies: visitor.cookies,
    get: calm((...given: Parameters<Visitor['get']>) => visitor.get(...given)),
    send: calm((...given: Parameters<Visitor['send']>) => visitor.send(...given)),
    submit: calm((...given: Parameters<Visitor['submit']>) => visitor.submit(...given)),
    fill: calm((...given: Parameters<Visitor['fill']>) => visitor.fill(...given)),
    follow: calm((...given: Parameters<Visitor['follow']>) => visitor.follow(...given)),
  };
}

/** Somebody in their browser, in no hurry. */
export async function givenVisitor(
  harness: Harness,
  served: Served,
  person: Parameters<typeof givenPerson>[1] = {},
): Promise<{ person: Person; visitor: Visitor }> {
  const somebody = await givenPerson(harness, person);
  return { person: somebody, visitor: unhurried(harness, await signIn(served, somebody)) };
}

/** Sends a form that no page need show, with a token from a page of this browser. */
export async function post(
  visitor: Visitor,
  action: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Visited> {
  const page = await visitor.get('/settings/security');
  const token = page.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';
  return visitor.send(action, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ csrf_token: token, ...fields }).toString(),
  });
}

/** Everything an administrator can change, and how often something was recorded; not when people were last seen. */
export async function dump(harness: Harness): Promise<unknown> {
  return harness.query(
    `select (select json_agg(u order by u.id) from users u) as users,
       (select json_agg(s.id order by s.id) from sessions s) as sessions,
       (select json_agg(k order by k.id) from api_keys k) as keys,
       (select json_agg(i order by i.id) from invitations i) as invitations,
       (select json_agg(f order by f.id) from families f) as families,
       (select json_agg(p order by p.id) from sso_providers p) as providers,
       (select json_agg(i order by i.id) from identities i) as identities,
       (select json_agg(b order by b.provider, b.subject) from blocked_identities b) as blocked,
       (select count(*) from pending_logins) as logins,
       (select count(*) from audit_events) as events`,
  );
}

/** What the page says is wrong. */
export function problemsOf({ root }: Visited): string[] {
  return root.querySelectorAll('.problems p').map(({ text }) => text);
}
