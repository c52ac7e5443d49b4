/** Cells of a report's file as values, and values as the page shows them: empty is unknown. */
import { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Figure, Shown, Table, Tone } from '../../src/ports/html-view.ts';

export function decimalOf(cell: string): Decimal | null {
  return cell === '' ? null : Decimal.parse(cell);
}

/** Counts are whole numbers; empty counts nothing. */
export function countOf(cell: string): number {
  return cell === '' ? 0 : Number.parseInt(cell, 10);
}

export function known(cell: string): string | null {
  return cell === '' ? null : cell;
}

/** `part / whole` in percent, 6 places; null where there is no whole to be a part of. */
export function percentOf(part: Decimal | null, whole: Decimal | null): Decimal | null {
  if (part === null || whole === null || whole.isZero) return null;
  return part.times(Decimal.HUNDRED).dividedBy(whole, 6);
}

export const percentShown = (percent: Decimal | null, places: number): Shown =>
  percent === null ? null : { percent, places };

export const money = (amount: Decimal | null, currency: string | null): Shown =>
  amount === null || currency === null ? null : { amount, currency };

export function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Columns of texts, at the left. */
export const left = (...titles: readonly string[]) => titles.map((title) => ({ title }));

/** Columns of figures, at the right. */
export const right = (...titles: readonly string[]) => titles.map((title) => ({ title, align: 'right' as const }));

/** A table under its title; with the chart of its figures, unless there is too little to draw. */
export function figure(parts: Omit<Figure, 'chart' | 'table'> & Table & { chart?: Figure['chart'] }): Figure {
  const { title, chart = null, note, ...table } = parts;
  return { title, chart, table, ...(note === undefined ? {} : { note }) };
}

/** Nine classes of moves, the middle one in the zero line; `titles` from the lowest to the highest. */
export function classesOf(titles: readonly string[]): readonly { title: string; tone: Tone }[] {
  const middle = (titles.length - 1) / 2;
  return titles.map((title, i) => ({ title, tone: i < middle ? 'three' : i === middle ? 'good' : 'two' }));
}

/** @param side of an edge, below it (-1), on it (0) or above it. An edge belongs to the class nearer to zero. */
export function classAmong(edges: readonly Decimal[], side: (edge: Decimal) => number): number {
  const place = edges.findIndex((edge) => (edge.isNegative ? side(edge) < 0 : side(edge) <= 0));
  return place === -1 ? edges.length : place;
}

/**
 * How often each outcome came, by a name such as that of a chain.
 * @param tones of the outcomes, in their order
 */
export function outcomeCounts(tones: Readonly<Record<string, Tone>>) {
  const counts = new Map<string, Map<string, number>>();
  const outcomes = Object.keys(tones);
  return {
    add(name: string, outcome: string): void {
      const ofName = entryOf(counts, name, () => new Map<string, number>());
      addOne(ofName, outcome);
    },

    isEmpty: () => counts.size === 0,

    sumOf: (outcome: string) => [...counts.values()].reduce((sum, each) => sum + (each.get(outcome) ?? 0), 0),

    /** @param plural of a name in the chart */
    figure(words: { title: string; unit: string; caption: string; head: string; plural?: string }): Figure {
      const { title, unit, caption, head, plural = '' } = words;
      const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
      return figure({
        title,
        chart: {
          type: 'stacked',
          unit,
          categories: rows.map(([name]) => `${name}${plural}`),
          series: Object.entries(tones).map(([name, tone]) => ({
            name,
            tone,
            values: rows.map(([, each]) => each.get(name) ?? 0),
          })),
        },
        caption,
        columns: [...left(head), ...right(...outcomes)],
        rows: rows.map(([name, each]): Shown[] => [
          name,
          ...outcomes.map((outcome) => ({ count: each.get(outcome) ?? 0 })),
        ]),
      });
    },
  };
}
