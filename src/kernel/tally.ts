export type TallyName = 'logins' | 'login_failures';

type Labels = Readonly<Record<string, string>>;

interface Count {
  labels: Labels;
  value: number;
}

/** Labels come from configuration and fixed lists; this is for the case that one does not. */
const MOST = 1_000;

/** What this process has counted since it started, for whoever watches it. */
export class Tally {
  readonly #counts = new Map<TallyName, Map<string, Count>>();

  add(name: TallyName, labels: Labels): void {
    const counts = this.#counts.get(name) ?? new Map<string, Count>();
    this.#counts.set(name, counts);
    const key = JSON.stringify(labels);
    const count = counts.get(key);
    if (count) count.value += 1;
    else if (counts.size < MOST) counts.set(key, { labels, value: 1 });
  }

  list(name: TallyName): Count[] {
    return [...(this.#counts.get(name)?.values() ?? [])];
  }
}
