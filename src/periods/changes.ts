/** Compares the last statement about a record of a closed month with its present state. Pure. */
import { type Break, isOpen } from '../domain/break.ts';
import { Decimal } from '../domain/decimal.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { PeriodChange } from '../ports/period.ts';
import type { SettledRecord } from '../ports/settled.ts';

/** A record as the last statement about its month had it. */
export type StatedRecord = Pick<SettledRecord, 'verdict' | 'state' | 'breaks'>;

export interface CompareInput extends Pick<PeriodChange, 'kind' | 'recordId' | 'hostReference' | 'period'> {
  /** Null where it was not in the month. */
  before: StatedRecord | null;
  after: StatedRecord | null;
  /** Readable looks, oldest first, to find out since when something is so. */
  readings: readonly { businessDate: BusinessDate; state: RecordState }[];
  /** Business date of the last look; null where there was none. */
  lookDate: BusinessDate | null;
}

type Cell = Decimal | string | null;

interface ComparedField {
  name: string;
  of: (state: RecordState) => Cell;
  /** Unit of the difference; null for texts and rates. */
  currency: (state: RecordState) => string | null;
}

const fiat = (state: RecordState) => state.fiatCurrency;
const none = () => null;

/** The fields that reports print; a new `updated_at` alone is no change. */
const FIELDS: readonly ComparedField[] = [
  { name: 'status', of: (state) => state.status, currency: none },
  { name: 'asset_chain', of: (state) => state.asset.chain, currency: none },
  { name: 'asset_symbol', of: (state) => state.asset.symbol, currency: none },
  { name: 'crypto_amount', of: tokensOf, currency: (state) => state.asset.symbol },
  { name: 'fiat_currency', of: fiat, currency: none },
  { name: 'fiat_value', of: (state) => state.fiatValue, currency: fiat },
  { name: 'applied_fee', of: (state) => state.appliedFee, currency: fiat },
  { name: 'base_fee', of: (state) => state.baseFee, currency: fiat },
  { name: 'network_fee', of: (state) => state.networkFee, currency: fiat },
  { name: 'host_fee_cut', of: (state) => state.hostFeeCut, currency: fiat },
  { name: 'exchange_rate', of: (state) => state.exchangeRate, currency: none },
  { name: 'payment_method', of: (state) => state.paymentMethod, currency: none },
  { name: 'final_tx_hash', of: (state) => state.finalTxHash, currency: none },
];

type Found = Omit<PeriodChange, 'kind' | 'recordId' | 'hostReference' | 'period'>;

const NO_MONEY = { difference: null, currency: null };

/** In the order record, fields, verdict, breaks by rule and field; nothing where nothing differs. */
export function compareStated(input: CompareInput): readonly PeriodChange[] {
  const { kind, recordId, hostReference, period } = input;
  const found = [...membership(input), ...fields(input), ...verdict(input), ...breaks(input)];
  return found.map((each) => ({ kind, recordId, hostReference, period, ...each }));
}

function membership({ before, after, period, lookDate }: CompareInput): Found[] {
  if ((before === null) === (after === null)) return [];
  const verdicts = { before: before?.verdict ?? null, after: after?.verdict ?? null };
  const item = before === null ? 'added' : 'moved';
  const explanation =
    before === null
      ? `Belongs to ${period} by its creation date and was not in it when it was stated: it was tracked, or dated, later.`
      : `Was stated as of ${period} and no longer belongs to it: its creation date was corrected, or it was retracted.`;
  return [{ change: 'record', item, ...verdicts, ...NO_MONEY, firstSeenDate: lookDate, explanation }];
}

function fields(input: CompareInput): Found[] {
  const [was, now] = [input.before?.state ?? null, input.after?.state ?? null];
  return FIELDS.flatMap((field) => {
    const [old, found] = [was === null ? null : field.of(was), now === null ? null : field.of(now)];
    if (isSame(old, found)) return [];
    const unit = now ?? was;
    const facts = {
      before: text(old),
      after: text(found),
      difference: differenceOf(input, field, old, found),
      currency: unit === null ? null : field.currency(unit),
      firstSeenDate: now === null ? input.lookDate : sinceWhen(input, field, found),
    };
    return [{ change: 'field', item: field.name, ...facts, explanation: inWords(field.name, input, facts) }];
  });
}

function isSame(a: Cell, b: Cell): boolean {
  return a instanceof Decimal && b instanceof Decimal ? a.equals(b) : a === b;
}

const text = (cell: Cell) => (cell === null ? null : cell.toString());

/** Null where either side is unknown; the whole amount for a record that came into the month or left it. */
function differenceOf({ before, after }: CompareInput, field: ComparedField, old: Cell, found: Cell): Decimal | null {
  const [was, now] = [before?.state ?? null, after?.state ?? null];
  const [wasIn, isIn] = [was === null ? null : field.currency(was), now === null ? null : field.currency(now)];
  if ((now === null ? wasIn : isIn) === null) return null;
  if (before === null) return found instanceof Decimal ? found : null;
  if (after === null) return old instanceof Decimal ? old.negated() : null;
  return wasIn === isIn && old instanceof Decimal && found instanceof Decimal ? found.minus(old) : null;
}

/** The first reading since which every reading has had the value. */
function sinceWhen({ readings, lookDate }: CompareInput, field: ComparedField, found: Cell): BusinessDate | null {
  const last = readings.findLastIndex(({ state }) => !isSame(field.of(state), found));
  return readings[last + 1]?.businessDate ?? lookDate;
}

function inWords(
  name: string,
  { period, before, after }: CompareInput,
  facts: Omit<Found, 'change' | 'item' | 'explanation'>,
): string {
  const { before: old, after: found, difference, currency, firstSeenDate } = facts;
  const unit = currency === null ? '' : ` ${currency}`;
  const shown = (cell: string | null) => (cell === null ? 'unknown' : `${cell}${unit}`);
  const since = firstSeenDate === null ? '' : ` since ${firstSeenDate}`;
  if (before === null) return `${name} is ${shown(found)}; the record was not in ${period} when it was stated.`;
  if (after === null) return `${name} was ${shown(old)}; the record no longer belongs to ${period}.`;
  const by =
    difference === null || difference.isZero
      ? ''
      : `: ${difference.abs()}${unit} ${difference.isNegative ? 'less' : 'more'}`;
  return `${name} was ${shown(old)} when ${period} was stated and is ${shown(found)}${since}${by}.`;
}

function verdict({ before, after, period, lookDate }: CompareInput): Found[] {
  if (before === null || after === null || before.verdict === after.verdict) return [];
  const explanation = `Was ${before.verdict} when ${period} was stated and is ${after.verdict} now.`;
  const verdicts = { before: before.verdict, after: after.verdict };
  return [{ change: 'verdict', item: 'verdict', ...verdicts, ...NO_MONEY, firstSeenDate: lookDate, explanation }];
}

/** Acknowledging or assigning a break is no change of its standing. */
function standingAs(each: Break | undefined): 'open' | 'waived' | null {
  if (each === undefined || each.state === 'resolved') return null;
  return isOpen(each.state) ? 'open' : 'waived';
}

function breaks({ before: stated, after: standing, lookDate }: CompareInput): Found[] {
  const was = new Map(stated?.breaks.map((each) => [each.breakId, each]));
  return (standing?.breaks ?? []).flatMap((each) => {
    const old = was.get(each.breakId);
    const [before, after] = [standingAs(old), standingAs(each)];
    const difference = breakDifference(old, each);
    if (before === after && (before === null || difference === null || difference.isZero)) return [];
    return [
      {
        change: 'break',
        item: each.field === '' ? each.rule : `${each.rule} ${each.field}`,
        before: before ?? (old === undefined ? null : 'resolved'),
        after: after ?? 'resolved',
        difference,
        currency: difference === null ? null : each.currency,
        firstSeenDate: old === undefined ? each.firstSeenDate : (lookDate ?? each.lastSeenDate),
        explanation: after === null ? `The break is over: ${each.explanation}` : each.explanation,
      },
    ];
  });
}

/** By how much the difference of a break has grown since it was stated. */
function breakDifference(old: Break | undefined, now: Break): Decimal | null {
  const [before, after] = [standingAs(old), standingAs(now)];
  if (after === null) return null;
  if (before === null) return now.difference;
  if (old?.difference == null || now.difference === null || old.currency !== now.currency) return null;
  return now.difference.minus(old.difference);
}
