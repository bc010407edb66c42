const LONGEST = 1_000;

/** Paths as this service makes them: plain segments, at most a query. Everything a browser might read otherwise is out. */
const LOCAL = /^(\/[\w-][\w.-]*)+(\?[\w=&%.+:@~-]*)?$/;

/** Where to go on after signing in: a page of this origin, or `/` for anything else. */
export function returnPath(given: string | undefined): string {
  return given !== undefined && given.length <= LONGEST && LOCAL.test(given) ? given : '/';
}
