import { VERDICTS } from '../../src/domain/finding.ts';
import type { PastRun, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { counted } from '../../src/text/counts.ts';
import { addOne, figure, left, percentOf, percentShown, right } from './cells.ts';

const TONES: readonly Tone[] = ['one', 'two', 'three', 'four', 'five'];

/** The same job over its last runs: whether fees drift, and whether the work list grows. */
export const driftView: View = {
  name: 'drift',
  start: ({ history }) => {
    // By records and not by amounts: those of different currencies cannot be ranked.
    const compared = new Map<string, number>();
    return {
      rows: {
        fees: (cell) => {
          if (cell('applied_fee_variance') !== '') addOne(compared, cell('fiat_currency'));
        },
      },
      sections: () => {
        const currencies = [...compared]
          .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
          .slice(0, TONES.length)
          .map(([code]) => code);
        const isFirst = history.length < 2;
        return {
          id: 'drift',
          title: 'Drift over the last runs',
          lead: isFirst
            ? 'This is the first run of the job that was published here, so there is nothing to compare it with yet.'
            : `The last ${counted(history.length, 'run')} of the job, from ${history[0]?.businessDate} to ${history.at(-1)?.businessDate}, by their manifests; of a date that was run again, the last revision.`,
          figures: isFirst ? [] : [feeDrift(history, currencies), workList(history)],
        };
      },
    };
  },
};

function varianceOf(run: PastRun, currency: string) {
  const fees = run.fees.get(currency);
  return fees === undefined ? null : percentOf(fees.variance, fees.quoted);
}

function feeDrift(history: readonly PastRun[], currencies: readonly string[]) {
  return figure({
    title: 'Net fee variance, in percent of the quoted fees',
    chart: {
      type: 'lines',
      unit: '% of quoted fees',
      categories: history.map(({ businessDate }) => businessDate),
      series: currencies.map((currency, i) => ({
        name: currency,
        tone: TONES[i] ?? 'one',
        values: history.map((run) => varianceOf(run, currency)),
      })),
    },
    caption: `Net variance of all compared fees in percent of what was quoted; the ${currencies.length} currencies with most records, newest run first`,
    columns: [...left('Business date'), ...right(...currencies)],
    rows: history
      .toReversed()
      .map((run): Shown[] => [
        run.businessDate,
        ...currencies.map((currency) => percentShown(varianceOf(run, currency), 3)),
      ]),
  });
}

function workList(history: readonly PastRun[]) {
  return figure({
    title: 'Open breaks and unverified records',
    chart: {
      type: 'lines',
      unit: 'open breaks, records',
      categories: history.map(({ businessDate }) => businessDate),
      series: [
        { name: 'open breaks', tone: 'bad', values: history.map(({ openBreaks }) => openBreaks) },
        {
          name: 'unverified or quarantined records',
          tone: 'odd',
          values: history.map(({ verdicts }) => verdicts.unverified + verdicts.quarantined),
        },
      ],
    },
    caption: 'Each run of the job: its population, its verdicts and the open breaks at its end, newest first',
    columns: [...left('Business date'), ...right('Records', ...VERDICTS, 'Open breaks')],
    rows: history
      .toReversed()
      .map(({ businessDate, population, verdicts, openBreaks }): Shown[] => [
        businessDate,
        { count: population },
        ...VERDICTS.map((verdict) => ({ count: verdicts[verdict] })),
        openBreaks === null ? null : { count: openBreaks },
      ]),
  });
}
