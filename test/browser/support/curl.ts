import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorCode } from '#src/kernel/error-code.ts';

const run = promisify(execFile);

/** What a `curl` line of a page does: the status it gets, and the body. Without curl the request is made here. */
export async function runCurl(line: string): Promise<{ status: number; body: string }> {
  const [, name = '', value = '', url = ''] = /^curl -H '([\w-]+): ([^']+)' '(http:[^']+)'$/.exec(line) ?? [];
  if (url === '') throw new Error(`not a line that curl could run: ${line}`);
  const args = [
    '--silent',
    '--noproxy',
    '*',
    '--write-out',
    '\n%{http_code}',
    '-H',
    `${name}: ${value}`,
    url,
  ];
  try {
    const { stdout } = await run('curl', args);
    const end = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const response = await fetch(url, { headers: { [name]: value } });
    return { status: response.status, body: await response.text() };
  }
}
