import { entryOf } from '../../src/domain/entry-of.ts';
import { noVerdicts, VERDICTS, type Verdict } from '../../src/domain/finding.ts';
import { type Chart, VERDICT_TONES, type View } from '../../src/ports/html-view.ts';
import { counted } from '../../src/text/counts.ts';
import { countOf, figure, left, right } from './cells.ts';

/** Verdicts by kind and method. */
export const outcomeView: View = {
  name: 'outcome',
  start: ({ set }) => {
    const groups = new Map<string, Record<Verdict, number>>();
    return {
      rows: {
        totals: (cell) => {
          const group = entryOf(groups, `${cell('payment_method') || 'Method unknown'}, ${cell('kind')}`, noVerdicts);
          for (const verdict of VERDICTS) group[verdict] += countOf(cell(`${verdict}_count`));
        },
      },
      sections: () => {
        const rows = [...groups]
          .map(([name, verdicts]) => ({ name, verdicts, all: sumOf(verdicts) }))
          .sort((a, b) => b.all - a.all || (a.name < b.name ? -1 : 1));
        return {
          id: 'outcome',
          title: 'Outcome',
          lead: `Every one of the ${counted(set.population, 'record')} in scope has exactly one verdict; the verdicts add up to the population. Records whose body could not be read have no payment method, nor have those whose body names none.`,
          figures: [
            figure({
              title: 'Verdicts by payment method',
              chart: exceptionsOf(rows),
              note: 'Matched records are not drawn: next to them the others would be too small to see.',
              caption: 'Records by payment method, kind and verdict',
              columns: [...left('Method and kind'), ...right(...VERDICTS, 'all')],
              rows: [
                ...rows.map(({ name, verdicts, all }) => [
                  name,
                  ...VERDICTS.map((verdict) => ({ count: verdicts[verdict] })),
                  { count: all },
                ]),
                ['All', ...VERDICTS.map((verdict) => ({ count: set.verdicts[verdict] })), { count: set.population }],
              ],
            }),
          ],
        };
      },
    };
  },
};

/** Null where every record is matched. */
function exceptionsOf(rows: readonly { name: string; verdicts: Record<Verdict, number>; all: number }[]): Chart | null {
  const drawn = rows
    .filter(({ verdicts, all }) => all > verdicts.matched)
    .toSorted((a, b) => b.all - b.verdicts.matched - (a.all - a.verdicts.matched));
  if (drawn.length === 0) return null;
  return {
    type: 'stacked',
    unit: 'records that are not matched',
    categories: drawn.map(({ name }) => name),
    series: VERDICTS.filter((verdict) => verdict !== 'matched').map((verdict) => ({
      name: verdict,
      tone: VERDICT_TONES[verdict],
      values: drawn.map(({ verdicts }) => verdicts[verdict]),
    })),
  };
}

function sumOf(verdicts: Record<Verdict, number>): number {
  return VERDICTS.reduce((sum, verdict) => sum + verdicts[verdict], 0);
}
