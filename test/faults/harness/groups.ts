/** The rows in two groups, each run and written as a whole: what one machine meets, and what many over one server do. */

export interface Group {
  /** Of the markers in docs/reference/reliability.md. */
  name: 'one machine' | 'many machines';
  /** Numbers, both included. */
  from: number;
  to: number;
}

export const ONE_MACHINE: Group = { name: 'one machine', from: 1, to: 30 };
export const MANY_MACHINES: Group = { name: 'many machines', from: 31, to: 99 };

export function isIn(group: Group, number: number): boolean {
  return number >= group.from && number <= group.to;
}

/** The number that a row's file begins with. */
export function numberOf(file: string): number {
  return Number.parseInt(file, 10);
}
