/** The rates of `reports.currency`: those of the file in the settings, else those of the published prices. */
import { basename } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { businessDateOf, isBusinessDate } from '../domain/calendar.ts';
import { Decimal, readDecimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import type { Instant } from '../domain/record.ts';
import type { Reporting, ReportingRate } from '../domain/reporting.ts';
import type { Run } from '../domain/run.ts';
import type { Store } from '../ports/store/store.ts';
import { readCsv } from './read-csv.ts';

/** A price list has about so many digits: a quotient with more claims too much. */
const PLACES = 10;
const NEWEST = Number.MAX_SAFE_INTEGER;

/** As of a time, from captures up to a watermark; null where the settings name no currency. @throws UsageError */
export async function reportingOf(
  { settings, store }: { settings: Settings; store: Store },
  at: Instant,
  watermark = NEWEST,
): Promise<Reporting | null> {
  const { currency, rates: file } = settings.reports;
  if (currency === null) return null;
  const date = businessDateOf(at, settings.timezone);
  if (file !== null) return { currency, rates: ratesOfFile(file, date) };
  const inEur = await store.reference.eurRates(at, watermark);
  const own = currency === 'EUR' ? Decimal.ONE : inEur.get(currency)?.rate;
  if (own === undefined) return { currency, rates: new Map() };
  const known = [...inEur].filter(([code]) => code !== currency);
  return {
    currency,
    rates: new Map(
      [...known, ...(inEur.has('EUR') || currency === 'EUR' ? [] : [['EUR', { rate: Decimal.ONE, at }] as const])].map(
        ([code, each]) => [
          code,
          {
            rate: each.rate.dividedBy(own, PLACES),
            source: 'published prices',
            date: businessDateOf(each.at, settings.timezone),
          },
        ],
      ),
    ),
  };
}

/** As of a run. */
export const reportingOfRun = (of: Parameters<typeof reportingOf>[0], { startedAt, watermarks }: Run) =>
  reportingOf(of, startedAt, watermarks?.reference);

/** The newest line of each currency up to the date. @throws UsageError that names file and line */
function ratesOfFile(file: string, upTo: string): Reporting['rates'] {
  const rates = new Map<string, ReportingRate>();
  for (const { line, cell } of readCsv(file, ['date', 'currency', 'rate'], REMEDY)) {
    const [date, currency, text] = [cell('date') ?? '', cell('currency') ?? '', cell('rate') ?? ''];
    if (!isBusinessDate(date)) throw wrong(`${file}:${line}: date ${date}: not a day such as 2026-11-20`);
    if (!/^[A-Z]{3}$/.test(currency)) throw wrong(`${file}:${line}: currency ${currency}: not a code such as USD`);
    const rate = readDecimal(text);
    if (rate === null || !rate.isPositive)
      throw wrong(`${file}:${line}: rate ${text}: not a number above zero; write it as 0.92`);
    if (date <= upTo && date >= (rates.get(currency)?.date ?? ''))
      rates.set(currency, { rate, source: basename(file), date });
  }
  return rates;
}

const REMEDY = 'reports.rates is a CSV file with the columns date, currency and rate';
const wrong = (what: string) => new UsageError(what, { remedy: REMEDY });
