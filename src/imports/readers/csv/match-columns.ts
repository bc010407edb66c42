import { FIELD_NAMES, headerKey } from '#src/imports/readers/csv/field-names.ts';
import { PRESET_LAYOUTS } from '#src/imports/readers/csv/presets.ts';
import {
  CSV_FIELDS,
  type CsvField,
  PRESETS,
  type Preset,
  type ReadOptions,
} from '#src/imports/readers/statement.ts';

export interface ColumnMatch {
  columns: Map<CsvField, number>;
  preset: Preset | undefined;
}

/**
 * The columns this row would give if it were the header; undefined when it is none: every column asked for must be
 * there, a date, and an amount in one or two columns.
 */
export function matchColumns(header: string[], options: ReadOptions): ColumnMatch | undefined {
  const keys = header.map(headerKey);
  const preset = options.preset ?? PRESETS.find((name) => fitsPreset(keys, name));
  if (options.preset && !fitsPreset(keys, options.preset)) return undefined;
  const columns = preset ? presetColumns(keys, preset) : namedColumns(keys, options);
  for (const field of CSV_FIELDS) {
    const wanted = options.columns?.[field];
    if (wanted === undefined) continue;
    const column = columnOf(wanted, header, keys);
    if (column === undefined) return undefined;
    if (column === NONE) columns.delete(field);
    else columns.set(field, column);
  }
  return isEnough(columns) ? { columns, preset } : undefined;
}

export function isEnough(columns: Map<CsvField, number>): boolean {
  return columns.has('date') && (columns.has('amount') || columns.has('outflow') || columns.has('inflow'));
}

const NONE = -1;

function columnOf(wanted: string | number, header: string[], keys: string[]): number | undefined {
  if (wanted === '') return NONE;
  if (typeof wanted === 'number') return wanted >= 1 && wanted <= header.length ? wanted - 1 : undefined;
  const exact = header.findIndex((name) => name.trim() === wanted.trim());
  const column = exact === -1 ? keys.indexOf(headerKey(wanted)) : exact;
  return column === -1 ? undefined : column;
}

function fitsPreset(keys: string[], preset: Preset): boolean {
  return PRESET_LAYOUTS[preset].required.every((name) => keys.includes(name));
}

function presetColumns(keys: string[], preset: Preset): Map<CsvField, number> {
  const columns = new Map<CsvField, number>();
  for (const field of CSV_FIELDS) {
    const names = PRESET_LAYOUTS[preset].columns[field] ?? [];
    const column = keys.indexOf(names.find((name) => keys.includes(name)) ?? '-');
    if (column !== -1) columns.set(field, column);
  }
  return columns;
}

/** Each column serves one field, so those asked for by number or header are not up for guessing. */
function namedColumns(keys: string[], options: ReadOptions): Map<CsvField, number> {
  const wanted = Object.values(options.columns ?? {});
  const taken = new Set(wanted.map((column) => columnOf(column, keys, keys)));
  const columns = new Map<CsvField, number>();
  for (const [field, names] of FIELD_NAMES) {
    if (options.columns && field in options.columns) continue;
    if (mapsAmount(options) && (field === 'amount' || field === 'outflow' || field === 'inflow')) continue;
    const column = names
      .map((name) => keys.findIndex((key, i) => key === name && !taken.has(i)))
      .find((i) => i !== -1);
    if (column === undefined) continue;
    columns.set(field, column);
    taken.add(column);
  }
  return columns;
}

function mapsAmount({ columns }: ReadOptions): boolean {
  return columns !== undefined && ('amount' in columns || 'outflow' in columns || 'inflow' in columns);
}
