/**
 * Journal lines of a period: what users paid in fees, the host's share, adjustments. Balanced by construction: each
 * group's clearing line is the exact opposite of its other lines, so debits equal credits per currency to the last digit.
 */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Kind } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';

/** Names of accounts in the ledger that the lines go to. */
export interface ChartOfAccounts {
  /** Owed to us by the Service for our share. */
  hostFeeReceivable: string;
  hostFeeRevenue: string;
  /** Statistical pair: fees that users paid to the Service, seen but not ours. */
  userFees: string;
  networkFees: string;
  feeAdjustments: string;
  serviceClearing: string;
}

export const DEFAULT_CHART: ChartOfAccounts = {
  hostFeeReceivable: 'Host fee receivable',
  hostFeeRevenue: 'Host fee revenue',
  userFees: 'User fees (base)',
  networkFees: 'User fees (network)',
  feeAdjustments: 'User fees (adjustments)',
  serviceClearing: 'Service clearing',
};

export interface JournalLine {
  /** Equal for the lines of one entry. */
  entry: string;
  date: string;
  account: string;
  currency: string;
  debit: Decimal | null;
  credit: Decimal | null;
  memo: string;
}

interface Group {
  kind: Kind;
  currency: string;
  records: number;
  base: Decimal;
  network: Decimal;
  adjustment: Decimal;
  host: Decimal;
}

/** Adds up released records; others have moved no money yet. */
export class JournalTotals {
  private readonly groups = new Map<string, Group>();

  add(state: RecordState): void {
    const key = `${state.fiatCurrency} ${state.kind}`;
    const group = this.groups.get(key) ?? {
      kind: state.kind,
      currency: state.fiatCurrency,
      records: 0,
      base: Decimal.ZERO,
      network: Decimal.ZERO,
      adjustment: Decimal.ZERO,
      host: Decimal.ZERO,
    };
    const { appliedFee, baseFee, networkFee, hostFeeCut } = state;
    group.records++;
    if (appliedFee !== null) {
      const network = networkFee ?? Decimal.ZERO;
      // A sale states its fee undivided: then all of it is the fee, and nothing is called an adjustment.
      const base = baseFee ?? appliedFee.minus(network);
      group.base = group.base.plus(base);
      group.network = group.network.plus(network);
      // What base and network leave of the fee that was paid, so that the three always add up to it.
      group.adjustment = group.adjustment.plus(appliedFee.minus(base).minus(network));
    }
    if (hostFeeCut !== null) group.host = group.host.plus(hostFeeCut);
    this.groups.set(key, group);
  }

  /** Rounded to minor units; the clearing line takes what rounding leaves. In order of currency and kind. */
  lines(period: { from: string; date: string }, chart: ChartOfAccounts): readonly JournalLine[] {
    return [...this.groups.keys()].sort().flatMap((key) => {
      const group = this.groups.get(key);
      return group === undefined ? [] : linesOf(group, period, chart);
    });
  }
}

function linesOf(group: Group, { from, date }: { from: string; date: string }, chart: ChartOfAccounts): JournalLine[] {
  const { currency, kind, records } = group;
  const round = (amount: Decimal) => amount.rounded(minorUnitDigits(currency) ?? 2);
  const line = (entry: string, account: string, amount: Decimal, memo: string): JournalLine | null => {
    if (amount.isZero) return null;
    // A negative debit is a credit: ledgers take no signs.
    const debit = amount.isNegative ? null : amount;
    return { entry, date, account, currency, debit, credit: debit === null ? amount.negated() : null, memo };
  };
  const about = `${records} ${kind}s from ${from} to ${date}`;
  const fees = [round(group.base), round(group.network), round(group.adjustment)] as const;
  const paid = fees.reduce((sum, fee) => sum.plus(fee), Decimal.ZERO);
  const host = round(group.host);
  const feeEntry = `FEES-${from}-${currency}-${kind}`;
  const hostEntry = `HOST-${from}-${currency}-${kind}`;
  return [
    line(feeEntry, chart.userFees, fees[0], `Base fees paid by users, ${about}`),
    line(feeEntry, chart.networkFees, fees[1], `Network fees paid by users, ${about}`),
    line(feeEntry, chart.feeAdjustments, fees[2], `Discounts and other adjustments, ${about}`),
    line(feeEntry, chart.serviceClearing, paid.negated(), `Fees kept by the Service, ${about}`),
    line(hostEntry, chart.hostFeeReceivable, host, `Accrued host share, not confirmed by the Service, ${about}`),
    line(hostEntry, chart.hostFeeRevenue, host.negated(), `Accrued host share, not confirmed by the Service, ${about}`),
  ].filter((each) => each !== null);
}

/** Currencies whose debits and credits differ, with the difference; none is good. */
export function unbalanced(lines: readonly JournalLine[]): ReadonlyMap<string, Decimal> {
  const balance = new Map<string, Decimal>();
  for (const { currency, debit, credit } of lines) {
    const before = balance.get(currency) ?? Decimal.ZERO;
    balance.set(currency, before.plus(debit ?? Decimal.ZERO).minus(credit ?? Decimal.ZERO));
  }
  return new Map([...balance].filter(([, difference]) => !difference.isZero));
}
