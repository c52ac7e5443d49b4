/**
 * The reconciliation of the host's revenue, a row a month and currency: opening + earned − paid + clawback + exchange = closing. What is
 * paid too much settles the oldest open item first, so that the closing balance is aged as a receivable is. Pure.
 */
import { addDays, daysBetween, monthAfter } from '../domain/calendar.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { byCurrency, type MonthlyAmounts } from '../domain/payout.ts';
import { inPlacesOf } from '../domain/stake.ts';
import type { RevenueLeg, SettledMonth } from '../ports/settled.ts';
import { keyOf, type RevenueTerms } from './revenue-terms.ts';

interface OpenBalance {
  month: string;
  /** The unpaid part of what `month` earned; below zero where too much was paid. */
  rest: Decimal;
}

/** @param legs in order of month */
export function withBalances(
  legs: readonly RevenueLeg[],
  exchanges: MonthlyAmounts,
  terms: RevenueTerms,
): readonly SettledMonth[] {
  const balances = new Map<string, OpenBalance[]>();
  return legs.map((leg): SettledMonth => {
    const { month, currency, accrued, paid } = leg;
    const key = keyOf(month, currency);
    const printed = (amount: Decimal | null | undefined) => inPlacesOf(amount ?? Decimal.ZERO, currency);
    const [earned, settled, clawback] = [printed(accrued), printed(paid), printed(leg.clawback)];
    const exchange = exchanges.get(key) ?? Decimal.ZERO;
    const balance = entryOf(balances, currency, () => []);
    const opening = sumOf(balance.map(({ rest }) => rest));
    add(balance, { month, rest: earned.minus(settled).plus(clawback) });
    return {
      ...leg,
      partner: terms.partner,
      opening,
      sheet: {
        earned: accrued === null ? null : earned,
        paid: paid === null && exchange.isZero ? null : settled.plus(printed(exchange)),
        clawback,
        exchange: printed(exchange),
      },
      closing: sumOf(balance.map(({ rest }) => rest)),
      aged: agesOf(balance, terms.today),
      materiality: byCurrency(terms.materiality, currency),
      unknown: Number(terms.unknown.get(key)?.toString() ?? 0),
      estimated: terms.estimated.get(key) ?? null,
      breaking: [],
      isOpenByLines: false,
    };
  });
}

/** What has the other sign is settled first, the oldest before the others. */
function add(balance: OpenBalance[], item: OpenBalance): void {
  for (const open of balance) {
    if (open.rest.isZero || open.rest.isNegative === item.rest.isNegative) continue;
    const sum = open.rest.plus(item.rest);
    const isOver = sum.isNegative === item.rest.isNegative;
    [open.rest, item.rest] = isOver ? [Decimal.ZERO, sum] : [sum, Decimal.ZERO];
    if (item.rest.isZero) break;
  }
  balance.push(item);
}

function agesOf(balance: readonly OpenBalance[], today: string): SettledMonth['aged'] {
  const ages: [Decimal, Decimal, Decimal, Decimal] = [Decimal.ZERO, Decimal.ZERO, Decimal.ZERO, Decimal.ZERO];
  for (const { month, rest } of balance) {
    if (rest.isZero) continue;
    const days = daysBetween(addDays(`${monthAfter(month)}-01`, -1), today);
    const at = days <= 30 ? 0 : days <= 60 ? 1 : days <= 90 ? 2 : 3;
    ages[at] = ages[at].plus(rest);
  }
  return ages;
}
