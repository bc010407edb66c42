/** A figure next to what it ought to be. */
export interface Goal {
  what: string;
  measured: number;
  /** `least`: more is better. */
  bound: 'least' | 'most';
  goal: number;
}

export interface Table {
  title: string;
  columns: string[];
  rows: (string | number | undefined)[][];
}

export interface Section {
  name: string;
  tables: Table[];
  goals: Goal[];
}

export function isMet({ measured, bound, goal }: Goal): boolean {
  return bound === 'least' ? measured >= goal : measured <= goal;
}
