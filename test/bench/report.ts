import { type Goal, isMet, type Section, type Table } from '#test/bench/section.ts';

export function renderSection({ name, tables, goals }: Section): string {
  return [`## ${name}`, ...tables.map(renderTable), ...goals.map(renderGoal), ''].join('\n');
}

function renderTable({ title, columns, rows }: Table): string {
  const cells = [columns, ...rows.map((row) => row.map(renderCell))];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  return [title, ...lines, ''].join('\n');
}

function renderCell(value: string | number | undefined): string {
  if (value === undefined) return '–';
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
}

function renderGoal(goal: Goal): string {
  const bound = goal.bound === 'least' ? 'at least' : 'at most';
  return `${isMet(goal) ? 'met   ' : 'MISSED'}  ${goal.what}: ${goal.measured.toFixed(2)} (${bound} ${goal.goal})`;
}
