import { entryOf } from '../../src/domain/entry-of.ts';
import { noVerdicts, VERDICTS, type Verdict } from '../../src/domain/finding.ts';
import type { Chart, Tone, View } from '../../src/ports/html-view.ts';
import { counted, countOf } from './cells.ts';

const TONES: Readonly<Record<Verdict, Tone>> = {
  matched: 'good',
  pending: 'waiting',
  break: 'bad',
  unverified: 'unknown',
  quarantined: 'odd',
  waived: 'waived',
};

/** Verdicts by kind and method. */
export const outcomeView: View = {
  name: 'outcome',
  start: ({ set }) => {
    const groups = new Map<string, Record<Verdict, number>>();
    return {
      open: (table, at) => {
        if (table !== 'totals') return null;
        const [kind, method] = [at('kind'), at('payment_method')];
        const counts = VERDICTS.map((verdict) => ({ verdict, place: at(`${verdict}_count`) }));
        return (row) => {
          const name = `${row[method] || 'Method unknown'}, ${row[kind]}`;
          const group = entryOf(groups, name, noVerdicts);
          for (const { verdict, place } of counts) group[verdict] += countOf(row[place]);
        };
      },
      sections: () => {
        const rows = [...groups]
          .map(([name, verdicts]) => ({ name, verdicts, all: sumOf(verdicts) }))
          .sort((a, b) => b.all - a.all || (a.name < b.name ? -1 : 1));
        return [
          {
            id: 'outcome',
            title: 'Outcome',
            lead: `Every one of the ${counted(set.population, 'record')} in scope has exactly one verdict; the verdicts add up to the population. Records whose body could not be read have no payment method, nor have those whose body names none.`,
            figures: [
              {
                title: 'Verdicts by payment method',
                chart: exceptionsOf(rows),
                note: 'Matched records are not drawn: next to them the others would be too small to see.',
                table: {
                  caption: 'Records by payment method, kind and verdict',
                  columns: [
                    { title: 'Method and kind' },
                    ...VERDICTS.map((verdict) => ({ title: verdict, align: 'right' as const })),
                    { title: 'all', align: 'right' },
                  ],
                  rows: [
                    ...rows.map(({ name, verdicts, all }) => [
                      name,
                      ...VERDICTS.map((verdict) => ({ count: verdicts[verdict] })),
                      { count: all },
                    ]),
                    [
                      'All',
                      ...VERDICTS.map((verdict) => ({ count: set.verdicts[verdict] })),
                      { count: set.population },
                    ],
                  ],
                },
              },
            ],
          },
        ];
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
      tone: TONES[verdict],
      values: drawn.map(({ verdicts }) => verdicts[verdict]),
    })),
  };
}

function sumOf(verdicts: Record<Verdict, number>): number {
  return VERDICTS.reduce((sum, verdict) => sum + verdicts[verdict], 0);
}
