import { findProgram } from '#test/operation/find-program.ts';

const PROXIES = ['nginx', 'haproxy'];
const POOLER = 'pgbouncer';

/** The test files to leave out where their programs are not; PROXY_TESTS=required makes a missing proxy an error. */
export function operationLeftOut(): string[] {
  const missing = [...PROXIES, POOLER].filter((name) => !findProgram(name));
  if (missing.length > 0 && process.env.PROXY_TESTS === 'required') {
    throw new Error(`PROXY_TESTS=required, but this machine has no ${missing.join(' and no ')}`);
  }
  const left: string[] = [];
  if (PROXIES.every((name) => missing.includes(name)))
    leave('The proxy tests', PROXIES.join(' and no '), 'test/proxies/proxies.test.ts');
  if (missing.includes(POOLER)) leave('The test of PgBouncer', POOLER, 'test/proxies/pgbouncer.test.ts');
  if (!findProgram('systemd-analyze')) {
    leave('The tests of systemd units', 'systemd-analyze', 'test/operation/systemd.test.ts');
  }
  return left;

  function leave(what: string, lack: string, files: string): void {
    process.stderr.write(`${what} are left out: no ${lack} on this machine\n`);
    left.push(files);
  }
}
