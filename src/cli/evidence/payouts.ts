/** `tieout payouts`: payments of the host share, and the months that they pay. */
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { revenueNow } from '../../app/revenue.ts';
import { revenueTables } from '../../app/revenue-tables.ts';
import { type JudgedRevenue, sumByBucket } from '../../books/judge-revenue.ts';
import { whyUnexplained } from '../../books/revenue-breaks.ts';
import { netPayouts } from '../../books/standing-payouts.ts';
import { businessDateOf } from '../../domain/calendar.ts';
import { inMinorUnits, minorUnitDigits } from '../../domain/currency.ts';
import { type Decimal, sumOf } from '../../domain/decimal.ts';
import { EXIT } from '../../domain/errors.ts';
import { differenceOf } from '../../domain/payout.ts';
import { requirePastDate } from '../../domain/plausible-date.ts';
import { isoInstant } from '../../domain/record.ts';
import { csvText } from '../../text/csv-text.ts';
import { command, type Register } from '../context.ts';
import { plainAmount, positiveNumber } from '../flags.ts';
import { snakeCase } from '../output.ts';
import { readDate } from '../runs/run-job.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';
import { writePrivate } from '../write-file.ts';

export const payoutsMatch: Register = (program) => {
  command(program, 'payouts match', {
    summary: 'Check stored payments against the accrued host share, month by month',
    details:
      'A payment settles the months that it names. Payments without months settle the oldest open months, or all up to the ' +
      'month before the payment, if they add up to exactly the open amount. With --out, writes payouts.csv, revenue_legs.csv, revenue_reconciliation.csv and payout_lines.csv there. Exits with ' +
      '1 if a payment is missing (PAYOUT_MISSING), differs (PAYOUT_DIFFERS) or is unexplained (PAYOUT_UNEXPLAINED).',
    examples: ['tieout payouts match', 'tieout payouts match --posted ledger.csv --out out/payouts'],
  })
    .option('--date <date>', 'business date on which months are overdue (default: today)')
    .option(
      '--due <days>',
      'days for payment after the end of a month (default: evidence.payouts.within)',
      daysOfPayment,
    )
    .option(
      '--minimum <amount>',
      'carry months with less revenue forward (default: evidence.payouts.minimum)',
      plainAmount,
    )
    .option('--posted <file>', 'CSV of the books with month, currency and amount')
    .runsOnApp(async (app, session, flags) => {
      const { settings, clock } = app;
      const date = readDate('--date', flags.date);
      requirePastDate(date, clock.wall.now(), settings.timezone);
      const today = date ?? businessDateOf(clock.wall.now(), settings.timezone);
      const terms = {
        ...(flags.due === undefined ? {} : { dueDays: flags.due, payWeek: null }),
        ...(flags.minimum === undefined
          ? {}
          : { minimum: new Map([['default', flags.minimum]]), threshold: null, quarterly: false }),
      };
      const judged = await revenueNow(app, {
        today,
        terms,
        posted: flags.posted ?? settings.evidence.payouts.posted ?? undefined,
      });
      const { payouts, months } = judged;
      const run = { runId: `payouts-${today}`, businessDate: today, timezone: settings.timezone };
      const tables = revenueTables({ run, ...judged });
      const { out } = session.flags;
      if (out !== undefined) {
        for (const [name, { columns, rows }] of Object.entries(tables))
          await writePrivate(join(out, `${name}.csv`), csvText([columns, ...rows]));
      }
      const unexplained = payouts.filter(({ state }) => state === 'unexplained');
      const breaking = months.flatMap((each) => each.breaking);
      if (session.out.json) {
        const findings = [
          ...months.flatMap(({ finding, month, currency }) =>
            finding === null ? [] : [{ rule: finding, month, currency }],
          ),
          ...unexplained.map(({ payoutId }) => ({ rule: 'PAYOUT_UNEXPLAINED', payout_id: payoutId })),
          ...breaking.map(({ month, currency, bucket, recordId }) => {
            return { rule: 'PAYOUT_DIFFERS', month, currency, bucket, record_id: recordId };
          }),
        ];
        const printed = Object.entries(tables).map(([name, { columns, rows }]) => {
          return [name, rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])))];
        });
        const { revenue_legs: legs, payouts: paid, ...more } = Object.fromEntries(printed);
        await session.out.value({ legs, payouts: paid, findings, ...more });
      } else await print(session, judged, unexplained);
      const isClean =
        unexplained.length === 0 && breaking.length === 0 && months.every(({ finding }) => finding === null);
      return isClean ? EXIT.clean : EXIT.breaks;
    });
};

/** As `evidence.payouts.within` may have it. @throws InvalidArgumentError */
function daysOfPayment(text: string): number {
  const days = positiveNumber(text);
  if (days > 730) throw new InvalidArgumentError('It must be at most 730.');
  return days;
}

/** Exact for a coin or another unit without ISO 4217 places. */
const money = (amount: Decimal | null, currency: string) =>
  minorUnitDigits(currency) === undefined ? String(amount ?? '') : inMinorUnits(amount, currency);

/** As it is stored, with the places of its currency at least: partners state shares that are not rounded. */
const stated = (amount: Decimal, currency: string) =>
  amount.toPlaces(Math.max(amount.scale, minorUnitDigits(currency) ?? 0));

async function print(
  session: Session,
  { months, lines }: JudgedRevenue,
  unexplained: JudgedRevenue['payouts'],
): Promise<void> {
  if (months.length === 0)
    await session.out.line('No month has a share of the host, and no payment is stored for one.');
  await session.out.table(
    [
      { title: 'month', cell: (leg) => leg.month },
      { title: 'currency', cell: (leg) => leg.currency },
      { title: 'accrued', cell: (leg) => money(leg.accrued, leg.currency), align: 'right' },
      { title: 'paid', cell: (leg) => money(leg.paid, leg.currency), align: 'right' },
      { title: 'posted', cell: (leg) => money(leg.posted, leg.currency), align: 'right' },
      { title: 'carried forward', cell: (leg) => money(leg.carriedForward, leg.currency), align: 'right' },
      { title: '', cell: (leg) => leg.finding ?? '' },
    ],
    months,
  );
  for (const payout of unexplained) {
    const { payoutId, paidAt, amount, currency, reference } = payout;
    await session.out.line(
      `PAYOUT_UNEXPLAINED ${payoutId}: ${stated(amount, currency)} ${currency} of ${isoInstant(paidAt).slice(0, 10)} ${whyUnexplained(payout, months)}${reference === null ? '' : ` (${printable(reference)})`}`,
    );
  }
  for (const [key, own] of Map.groupBy(lines, ({ month, currency }) => `${month} ${currency}`)) {
    const currency = key.slice(8);
    const sum = sumOf(own.map(differenceOf));
    const buckets = sumByBucket(own).map(
      ({ bucket, count, difference }) => `${count} ${bucket} ${money(difference, currency)}`,
    );
    await session.out.line(`lines of ${key}: ${money(sum, currency)} = ${buckets.join(' + ')}`);
  }
}

export const payoutsList: Register = (program) => {
  command(program, 'payouts list', {
    summary: 'List the stored payments of the host share',
    examples: ['tieout payouts list --json'],
  }).runsOnApp(async ({ store }, { out }) => {
    const { payouts } = netPayouts(await store.evidence.payouts());
    const json = payouts.map(({ sha256: evidenceSha256, settles, ...payout }) => {
      const settled = { settledCurrency: settles?.currency ?? null, rate: settles?.rate ?? null };
      return snakeCase({ ...payout, evidenceSha256, ...settled });
    });
    await out.list(
      json,
      payouts,
      [
        { title: 'payout', cell: ({ payoutId }) => payoutId.slice(0, 12) },
        { title: 'paid', cell: ({ paidAt }) => isoInstant(paidAt).slice(0, 10) },
        { title: 'amount', cell: ({ amount, currency }) => stated(amount, currency), align: 'right' },
        { title: 'currency', cell: ({ currency }) => currency },
        { title: 'type', cell: ({ type }) => type },
        { title: 'period', cell: ({ period }) => period ?? '' },
        { title: 'source', cell: ({ source }) => source },
        { title: 'reference', cell: ({ reference }) => reference ?? '' },
      ],
      'No payments are stored.',
    );
  });
};
