/** Adds up money at stake per currency, and what people waived, by person. Open and waived money are never in one sum. */

import { type Break, isOpen } from './break.ts';
import { counted } from './counts.ts';
import { showMoney } from './currency.ts';
import { Decimal } from './decimal.ts';

/** Records with money at stake in one currency. */
interface CurrencyStake {
  currency: string;
  records: number;
  /** Plus is the users' loss; the sum of the next two. */
  total: Decimal;
  usersLoss: Decimal;
  /** Zero or below. */
  servicesLoss: Decimal;
}

/** What one person waived on records of one currency. */
interface WaivedStake {
  by: string;
  /** Null for records that were never read. */
  currency: string | null;
  breaks: number;
  /** Of the records that a waived break leads; null where none has money at stake. */
  total: Decimal | null;
}

/** Rows sorted by currency; waived ones by person, then currency. */
export interface StakeFigures {
  /** Records with an open break. */
  recordsAtRisk: number;
  open: readonly CurrencyStake[];
  waived: readonly WaivedStake[];
}

export const NO_STAKE: StakeFigures = { recordsAtRisk: 0, open: [], waived: [] };

/** What has been added up so far: plain values, as threads count ranges of records apart and join their sums. */
export interface StakeSums {
  recordsAtRisk: number;
  open: Map<string, CurrencyStake>;
  waived: Map<string, WaivedStake>;
}

export function emptyStake(): StakeSums {
  return { recordsAtRisk: 0, open: new Map(), waived: new Map() };
}

/** @param breaks of one record, with its stake on the leading one. */
export function addStake(sums: StakeSums, breaks: readonly Break[]): void {
  if (breaks.some(({ state }) => isOpen(state))) sums.recordsAtRisk++;
  for (const each of breaks) {
    if (isOpen(each.state)) addOpen(sums, each);
    else if (each.state === 'waived') addWaived(sums, each);
  }
}

export function stakeFigures({ recordsAtRisk, open, waived }: StakeSums): StakeFigures {
  return { recordsAtRisk, open: sorted(open), waived: sorted(waived) };
}

function addOpen({ open }: StakeSums, { moneyAtStake: amount, recordCurrency: currency }: Break): void {
  if (amount === null || currency === null) return;
  const sum = open.get(currency);
  const [lost, gained] = [sum?.usersLoss ?? Decimal.ZERO, sum?.servicesLoss ?? Decimal.ZERO];
  open.set(currency, {
    currency,
    records: (sum?.records ?? 0) + 1,
    total: (sum?.total ?? Decimal.ZERO).plus(amount),
    usersLoss: amount.isNegative ? lost : lost.plus(amount),
    servicesLoss: amount.isNegative ? gained.plus(amount) : gained,
  });
}

function addWaived({ waived }: StakeSums, { waiver, moneyAtStake: amount, recordCurrency: currency }: Break): void {
  const by = waiver?.author ?? '';
  const key = `${by}\n${currency ?? ''}`;
  const sum = waived.get(key);
  const total = sum?.total ?? null;
  waived.set(key, {
    by,
    currency,
    breaks: (sum?.breaks ?? 0) + 1,
    total: amount === null ? total : (total ?? Decimal.ZERO).plus(amount),
  });
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** As JSON and manifests have it; amounts are texts there. */
export function stakeAsJson({ recordsAtRisk, open, waived }: StakeFigures) {
  return {
    records_at_risk: recordsAtRisk,
    money_at_stake: open.map(({ currency, records, total, usersLoss, servicesLoss }) => ({
      currency,
      records,
      total: total.toString(),
      users_loss: usersLoss.toString(),
      services_loss: servicesLoss.toString(),
    })),
    waived: waived.map(({ by, currency, breaks, total }) => ({
      by,
      currency,
      breaks,
      total: total?.toString() ?? null,
    })),
  };
}

/** `12.50 EUR of 3 records; -4 JPY of 1 record`; null where nothing is at stake. */
export function stakeInWords({ open }: StakeFigures): string | null {
  if (open.length === 0) return null;
  return open
    .map(({ currency, records, total, servicesLoss }) => {
      const against = servicesLoss.isZero ? '' : ` (${showMoney(servicesLoss, currency)} of it the Service's loss)`;
      return `${showMoney(total, currency)} of ${counted(records, 'record')}${against}`;
    })
    .join('; ');
}

/** `Ann: 3 breaks, 12.50 EUR, -4 JPY; Bob: 1 break`; null where nothing is waived. */
export function waivedInWords({ waived }: StakeFigures): string | null {
  if (waived.length === 0) return null;
  return [...Map.groupBy(waived, ({ by }) => by)]
    .map(([by, sums]) => {
      const breaks = sums.reduce((count, sum) => count + sum.breaks, 0);
      const money = sums.flatMap(({ total, currency }) =>
        total === null || currency === null ? [] : [showMoney(total, currency)],
      );
      return [`${by}: ${counted(breaks, 'break')}`, ...money].join(', ');
    })
    .join('; ');
}

/** With amounts as text. */
export type Written<T> = { [K in keyof T]: Decimal extends T[K] ? string | Exclude<T[K], Decimal> : T[K] };

export interface WrittenStake {
  recordsAtRisk: number;
  open: readonly Written<CurrencyStake>[];
  waived: readonly Written<WaivedStake>[];
}

export function readStake({ recordsAtRisk, open, waived }: WrittenStake): StakeFigures {
  return {
    recordsAtRisk,
    open: open.map(({ total, usersLoss, servicesLoss, ...each }) => ({
      ...each,
      total: Decimal.parse(total),
      usersLoss: Decimal.parse(usersLoss),
      servicesLoss: Decimal.parse(servicesLoss),
    })),
    waived: waived.map(({ total, ...each }) => ({ ...each, total: total === null ? null : Decimal.parse(total) })),
  };
}
