import type { Check, Finding, Status, Subject } from '#src/doctor/check.ts';

export interface NamedFinding extends Finding {
  name: string;
}

/** Looks at one thing after the other, and goes on whatever is found. */
export async function* examine(checks: readonly Check[], subject: Subject): AsyncGenerator<NamedFinding> {
  const usable = new Set<string>();
  for (const { name, needs, look } of checks) {
    const missing = needs.filter((need) => !usable.has(need));
    const findings = missing.length > 0 ? [waitsFor(missing)] : await attempt(subject, look);
    if (findings.every(isUsable)) usable.add(name);
    for (const finding of findings) yield { name, ...finding };
  }
}

/** The worst of all; what was left out does not count. */
export function overall(findings: readonly Finding[]): Status {
  const has = (wanted: Status) => findings.some(({ status }) => status === wanted);
  return has('fail') ? 'fail' : has('warn') ? 'warn' : 'ok';
}

async function attempt(subject: Subject, look: Check['look']): Promise<Finding[]> {
  try {
    return [await look(subject)].flat();
  } catch (error) {
    return [{ status: 'fail', ...subject.explain(error) }];
  }
}

function waitsFor(missing: readonly string[]): Finding {
  const names = missing.map((name) => name.replaceAll('_', ' ')).join(' and ');
  return { status: 'skipped', detail: `waits for ${names}` };
}

function isUsable({ status, isUsable }: Finding): boolean {
  return isUsable ?? (status === 'ok' || status === 'warn');
}
