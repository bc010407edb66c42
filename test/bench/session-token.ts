/** Of a browser that is signed in over plain http. */
export function sessionToken(cookie = ''): string | undefined {
  return /finance\.session=([\w-]+)/.exec(cookie)?.[1];
}
