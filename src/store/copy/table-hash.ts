/** A hash over the cells of a table in the order of its key: equal where, and only where, two engines hold the same. */
import { createHash, type Hash } from 'node:crypto';
import type { Cell, Row } from '../engine.ts';

/** One letter per type and a length before every value, so that no two different rows are written alike. */
function addCell(hash: Hash, cell: Cell): void {
  if (cell === null) hash.update('n;');
  else if (typeof cell === 'string') hash.update(`s${Buffer.byteLength(cell)}:${cell};`);
  // A number that both engines hold exactly has the same shortest text in both.
  else if (typeof cell === 'number') hash.update(`d${cell};`);
  else hash.update(`b${cell.length}:`).update(cell).update(';');
}

export class TableHash {
  rows = 0;
  readonly #hash = createHash('sha256');

  add(page: readonly Row[]): void {
    for (const row of page) {
      for (const cell of row) addCell(this.#hash, cell);
      this.#hash.update('\n');
    }
    this.rows += page.length;
  }

  /** Hexadecimal; ends the hash. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}
