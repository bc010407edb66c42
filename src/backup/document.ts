import { damaged, notABackup } from '#src/backup/refusals.ts';

type Fields = Record<string, unknown>;

export function parseObject(content: Buffer, part: string): Fields {
  try {
    const value: unknown = JSON.parse(content.toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Answered below, like JSON of another shape.
  }
  throw notABackup(`${part} is not as it should be`);
}

interface Reader {
  text(name: string): string;
  number(name: string): number;
  optionalNumber(name: string): number | undefined;
  texts(name: string): string[];
  objects(name: string): Reader[];
}

export function reader(fields: Fields, part: string): Reader {
  const wrong = (name: string) => damaged(`${part} has no usable "${name}"`);
  const number = (name: string) => {
    const value = fields[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw wrong(name);
  };
  return {
    text: (name) => {
      const value = fields[name];
      if (typeof value === 'string') return value;
      throw wrong(name);
    },
    number,
    optionalNumber: (name) => (fields[name] === undefined ? undefined : number(name)),
    texts: (name) => {
      const value = fields[name];
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return [...value];
      throw wrong(name);
    },
    objects: (name) => {
      const value = fields[name];
      if (Array.isArray(value) && value.every(isObject)) return value.map((item) => reader(item, part));
      throw wrong(name);
    },
  };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
