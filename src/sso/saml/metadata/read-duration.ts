const SHAPE = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;
const SECONDS = [365 * 86_400, 30 * 86_400, 86_400, 3_600, 60, 1];

/** Milliseconds of an `xs:duration`, a month taken as 30 days; undefined when it is none, or negative. */
export function readDuration(text: string | undefined): number | undefined {
  const match = SHAPE.exec(text ?? '');
  if (!match || !/\d/.test(text ?? '')) return undefined;
  const parts = match.slice(1).map((part) => Number(part ?? 0));
  return parts.reduce((sum, part, index) => sum + part * (SECONDS[index] ?? 0), 0) * 1_000;
}
