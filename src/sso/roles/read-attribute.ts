import { isRecord } from '#src/sso/providers/field-reader.ts';

/** More steps than any provider nests, and few enough that no answer makes the search long. */
const DEEPEST = 12;

/**
 * The value at a path such as `realm_access.roles`, `emails.0.value` or `emails[0].value`; undefined when there is
 * none. Names may hold dots and colons (`https://example.com/groups`): at each level the longest name that exists is
 * tried first.
 */
export function readAttribute(attributes: unknown, path: string): unknown {
  const whole = readOwn(attributes, path);
  if (whole !== undefined) return whole;

  const steps = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return steps.length <= DEEPEST ? readSteps(attributes, steps) : undefined;
}

function readSteps(value: unknown, steps: string[]): unknown {
  if (steps.length === 0) return value;
  for (let length = steps.length; length > 0; length -= 1) {
    const next = readOwn(value, steps.slice(0, length).join('.'));
    const found = next === undefined ? undefined : readSteps(next, steps.slice(length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function readOwn(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined;
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
