/**
 * The reconciliation of the host's revenue, a row a month and currency: opening + earned − paid + clawback + exchange = closing. What is
 * paid too much settles the oldest open item first, so that the closing balance is aged as a receivable is. Pure.
 */
import { addDays, daysBetween, monthAfter } from '../domain/calendar.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { type MonthlyAmounts, materialityOf, type RunRevenue } from '../domain/payout.ts';
import { inPlacesOf } from '../domain/stake.ts';
import type { SettledMonth } from '../ports/settled.ts';
import { keyOf, type RevenueLegs, sumOf } from './revenue-legs.ts';

interface OpenBalance {
  month: string;
  rest: Decimal;
}

/** `today`: the business date by which the balance is aged. */
export type BalanceOptions = Pick<RunRevenue, 'materiality' | 'unknown' | 'estimated' | 'partner'> & { today: string };

/** @param legs in order of month */
export function withBalances(
  legs: readonly RevenueLegs[],
  exchanges: MonthlyAmounts,
  options: BalanceOptions,
): readonly SettledMonth[] {
  const balances = new Map<string, OpenBalance[]>();
  return legs.map((leg): SettledMonth => {
    const { month, currency, accrued, paid } = leg;
    const key = keyOf(month, currency);
    const balance = entryOf(balances, currency, () => []);
    const opening = sumOf(balance.map(({ rest }) => rest));
    const whole = exchanges.get(key) ?? Decimal.ZERO;
    const printed = (amount: Decimal | null) => inPlacesOf(amount ?? Decimal.ZERO, currency);
    const [earned, settled, clawback, exchange] = [
      printed(accrued),
      printed(paid),
      printed(leg.clawback),
      printed(whole),
    ];
    add(balance, { month, rest: earned.minus(settled).plus(clawback) });
    return {
      ...leg,
      partner: options.partner,
      opening,
      exchange: whole,
      sheet: {
        earned: accrued === null ? null : earned,
        paid: paid === null && whole.isZero ? null : settled.plus(exchange),
        clawback,
        exchange,
      },
      closing: sumOf(balance.map(({ rest }) => rest)),
      aged: agesOf(balance, options.today),
      materiality: materialityOf(options, currency),
      unknown: Number(options.unknown.get(key)?.toString() ?? 0),
      estimated: options.estimated.get(key) ?? null,
      breaking: [],
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
