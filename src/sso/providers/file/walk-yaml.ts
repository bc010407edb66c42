import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Variables } from '#src/kernel/variables.ts';
import { interpolate } from '#src/sso/providers/file/interpolate.ts';

/** A value of the file with all that is said in it about the environment. */
export interface Resolved {
  /** What the file calls it, when that is not our name. */
  writtenAs?: string | undefined;
  value: unknown;
  /** Counted from 1. */
  line: number;
  /** Variables whose values are in it. */
  used: string[];
  /** Variables without a value that need none. */
  unset: string[];
  /** References that need a value and have none. */
  missing: string[];
  problems: string[];
}

const DEEPEST = 30;
const MOST_NODES = 20_000;

/** A YAML text whose parts can be looked at one by one, with their lines. Errors name `label` and the line. */
export class YamlFile {
  readonly label: string;
  readonly root: Node | null;
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  readonly #variables: Variables;
  #visited = 0;

  constructor(text: string, label: string, variables: Variables) {
    this.label = label;
    this.#variables = variables;
    this.#document = parseDocument(text, { lineCounter: this.#lines });
    this.root = this.#document.contents;
    // The code alone: messages of the library repeat lines of the file, secrets included.
    const [error] = this.#document.errors;
    if (error) throw this.refuse(this.#lines.linePos(error.pos[0]).line, `is not valid YAML (${error.code})`);
  }

  refuse(line: number, what: string): AppError {
    return new AppError('configuration_invalid', `${this.label}:${line}: ${what}`);
  }

  lineOf(node: unknown): number {
    const range = isAlias(node) || isMap(node) || isSeq(node) || isScalar(node) ? node.range : undefined;
    return range ? this.#lines.linePos(range[0]).line : 1;
  }

  /** The node itself, aliases followed. */
  follow(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }

  /** A mapping's pairs by key; what it merges (`<<`) comes first, so that its own pairs win. */
  pairs(map: YAMLMap, depth = 0): Map<string, unknown> {
    this.#count(map, depth);
    const pairs = new Map<string, unknown>();
    for (const { key, value } of map.items) {
      if (keyText(key) !== '<<') continue;
      const target = this.follow(value);
      for (const each of isSeq(target) ? target.items.map((item) => this.follow(item)) : [target]) {
        if (!isMap(each)) throw this.refuse(this.lineOf(value), '<< must refer to a mapping');
        for (const [name, merged] of this.pairs(each, depth + 1))
          if (!pairs.has(name)) pairs.set(name, merged);
      }
    }
    for (const { key, value } of map.items) {
      if (keyText(key) !== '<<') pairs.set(keyText(key), value);
    }
    return pairs;
  }

  /** The value with its references replaced. */
  resolve(node: unknown): Resolved {
    const found: Resolved = {
      value: undefined,
      line: this.lineOf(node),
      used: [],
      unset: [],
      missing: [],
      problems: [],
    };
    found.value = this.#convert(node, found, 0);
    return found;
  }

  #convert(node: unknown, found: Resolved, depth: number): unknown {
    const target = this.follow(node);
    this.#count(target, depth);
    if (isMap(target)) {
      const entries = [...this.pairs(target, depth)];
      return Object.fromEntries(entries.map(([key, value]) => [key, this.#convert(value, found, depth + 1)]));
    }
    if (isSeq(target)) return target.items.map((item) => this.#convert(item, found, depth + 1));
    if (isScalar(target)) return this.#scalar(target.value, target.source, found);
    if (target !== null && target !== undefined) throw this.refuse(this.lineOf(node), 'is not understood');
    if (isAlias(node)) throw this.refuse(this.lineOf(node), `*${node.source} refers to nothing`);
    return undefined;
  }

  #scalar(value: unknown, source: string | undefined, found: Resolved): unknown {
    // A number as it is written: client ids have more digits than numbers hold.
    const text = typeof value === 'number' || typeof value === 'bigint' ? (source ?? String(value)) : value;
    if (typeof text === 'boolean') return text;
    if (typeof text !== 'string') return undefined;
    try {
      const {
        text: result,
        used,
        unset,
        missing,
        problem,
      } = interpolate(text, (name) => this.#variables.find(name));
      found.used.push(...used);
      found.unset.push(...unset);
      found.missing.push(...missing);
      if (problem) found.problems.push(problem);
      return result;
    } catch (error) {
      found.problems.push(`a file that a variable names cannot be read (${errorCode(error)})`);
      return undefined;
    }
  }

  #count(node: unknown, depth: number): void {
    this.#visited += 1;
    if (depth > DEEPEST || this.#visited > MOST_NODES)
      throw this.refuse(this.lineOf(node), 'is nested too deeply');
  }
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}
