/** The rows in two groups, each run and written as a whole: what one machine meets, and what many over one server do. */

export interface Group {
  /** Of the markers in docs/reference/reliability.md. */
  name: 'one machine' | 'many machines';
  /** Numbers, both ends included. */
  stretches: readonly (readonly [from: number, to: number])[];
}

export const ONE_MACHINE: Group = {
  name: 'one machine',
  stretches: [
    [1, 30],
    [38, 50],
    [53, 99],
  ],
};
export const MANY_MACHINES: Group = {
  name: 'many machines',
  stretches: [
    [31, 37],
    [51, 52],
  ],
};

export function isIn(group: Group, number: number): boolean {
  return group.stretches.some(([from, to]) => number >= from && number <= to);
}

/** The number that a row's file begins with. */
export function numberOf(file: string): number {
  return Number.parseInt(file, 10);
}
