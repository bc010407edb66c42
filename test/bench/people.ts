import type pg from 'pg';
import { hashPassword } from '#src/users/password.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import type { ServerProcess } from '#test/bench/processes.ts';
import type { Request } from '#test/bench/requests.ts';

const PASSWORD = 'measured-again-and-again';

export interface Crowd {
  people: Person[];
  password: string;
  /** The same for all. */
  digest: string;
}

interface Person {
  email: string;
  /** Each comes from another one, or the throttle would take them all for one. */
  address: string;
}

/** Proxies that the product must trust for the addresses of the crowd. */
export const BEHIND_PROXY = { TRUSTED_PROXY_HOPS: '1' };

/** So many more people of one family who sign in with a password; `name` keeps crowds apart. */
export async function addCrowd(client: pg.Client, name: string, count: number): Promise<Crowd> {
  const digest = await hashPassword(PASSWORD);
  await client.query(
    `insert into users (id, family_id, email, first_name, last_name, role, password_digest, created_at, updated_at)
     select gen_random_uuid(), (select id from families order by id limit 1), $1 || n || '@example.com', 'Person', n,
       'member', $3, now(), now()
     from generate_series(1, $2::integer) n`,
    [name, count, digest],
  );
  await client.query('vacuum (analyze) users');
  const people = Array.from({ length: count }, (_, index) => ({
    email: `${name}${index + 1}@example.com`,
    address: `10.1.${index >> 8}.${index & 255}`,
  }));
  return { people, password: PASSWORD, digest };
}

export function signInRequests({ people, password }: Crowd): Required<Request>[] {
  return people.map(({ email, address }) => ({
    method: 'POST',
    path: '/sessions',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ email, password }),
  }));
}

/** The cookies of one session for each, as a browser sends them back. */
export async function signInAll({ port }: ServerProcess, crowd: Crowd): Promise<string[]> {
  const cookies: string[] = [];
  for (const { path, ...init } of signInRequests(crowd)) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const set = response.headers.getSetCookie();
    if (response.status !== 200 || set.length === 0) {
      throw new WrongAnswer(`signing in answers ${response.status}: ${await response.text()}`);
    }
    await response.arrayBuffer();
    cookies.push(set.map((cookie) => cookie.split(';', 1)[0]).join('; '));
  }
  return cookies;
}
