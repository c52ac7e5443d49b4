/**
 * The reconciliation of the host's revenue, a row a month and currency: opening + earned − paid + clawback + exchange = closing. What is
 * paid too much settles the oldest open item first, so that the closing balance is aged as a receivable is. Pure.
 */
import { addDays, daysBetween, monthAfter, monthBefore } from '../domain/calendar.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { materialityOf, type Payout, PEGGED, type RunRevenue } from '../domain/payout.ts';
import type { SettledBalance } from '../ports/settled.ts';
import type { MatchedRevenue } from './match-payouts.ts';

interface OpenBalance {
  month: string;
  rest: Decimal;
}

type Known = Pick<RunRevenue, 'materiality' | 'unknown' | 'estimated'>;

/** @param today the business date by which the balance is aged */
export function reconciliationOf(
  { legs, payouts }: MatchedRevenue,
  known: Known,
  today: string,
): readonly SettledBalance[] {
  const exchanges = exchangesOf(payouts);
  const byKey = new Map(legs.map((leg) => [`${leg.month} ${leg.currency}`, leg]));
  const keys = [...new Set([...byKey.keys(), ...exchanges.keys(), ...known.unknown.keys()])].sort();
  const balances = new Map<string, OpenBalance[]>();
  return keys.map((key): SettledBalance => {
    const [month = '', currency = ''] = key.split(' ');
    const leg = byKey.get(key);
    const { accrued = null, clawback = Decimal.ZERO } = leg ?? {};
    const exchange = exchanges.get(key) ?? Decimal.ZERO;
    const paid = leg?.paid?.plus(exchange) ?? (exchange.isZero ? null : exchange);
    const own = (accrued ?? Decimal.ZERO).minus(leg?.paid ?? Decimal.ZERO).plus(clawback);
    const balance = entryOf(balances, currency, () => []);
    const opening = sumOf(balance);
    add(balance, { month, rest: own });
    return {
      month,
      currency,
      opening,
      earned: accrued,
      paid,
      clawback,
      exchange,
      closing: sumOf(balance),
      aged: agesOf(balance, today),
      posted: leg?.posted ?? null,
      difference: leg === undefined || leg.paid === null ? null : leg.owed.minus(leg.paid),
      materiality: materialityOf(known, currency),
      unknown: Number(known.unknown.get(key)?.toString() ?? 0),
      estimated: known.estimated.get(key) ?? null,
    };
  });
}

const sumOf = (balance: readonly OpenBalance[]) => balance.reduce((sum, { rest }) => sum.plus(rest), Decimal.ZERO);

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

function agesOf(balance: readonly OpenBalance[], today: string): SettledBalance['aged'] {
  const ages: [Decimal, Decimal, Decimal, Decimal] = [Decimal.ZERO, Decimal.ZERO, Decimal.ZERO, Decimal.ZERO];
  for (const { month, rest } of balance) {
    const days = daysBetween(addDays(`${monthAfter(month)}-01`, -1), today);
    const at = days <= 30 ? 0 : days <= 60 ? 1 : days <= 90 ? 2 : 3;
    ages[at] = ages[at].plus(rest);
  }
  return ages;
}

/** By the month that the payment is for, else the one before it. */
function exchangesOf(payouts: MatchedRevenue['payouts']): ReadonlyMap<string, Decimal> {
  const sums = new Map<string, Decimal>();
  const month = ({ period, paidAt }: Payout) => period?.slice(-7) ?? monthBefore(new Date(paidAt).toISOString());
  for (const payout of payouts) {
    const { exchange, amount, type, allocations, matched } = payout;
    const own = type === 'exchange' ? amount : exchange;
    if (own === null) continue;
    const currency = matched?.currency ?? PEGGED[payout.currency] ?? payout.currency;
    const key = `${allocations.at(-1)?.month ?? month(payout)} ${currency}`;
    sums.set(key, sums.get(key)?.plus(own) ?? own);
  }
  return sums;
}
