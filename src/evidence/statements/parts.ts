/** One payment for several currencies, `600 EUR @ 1.10 + 300 GBP @ 1.338 + 250 USD`: a line for each, and one for what the rates leave. */
import { Decimal, readDecimal } from '../../domain/decimal.ts';
import { PEGGED } from '../../domain/payout.ts';
import type { WrittenPayout } from './payout.ts';

const PART = /^([\d.,]+) *([A-Za-z]{3})(?: *(?:@|at) *([\d.,]+))?$/;

/** The line itself where it settles one currency, or where a rate is not given: the rates of the records decide then. */
export function inParts(written: WrittenPayout, settles: string | null): readonly (WrittenPayout | string)[] {
  if (settles === null) return [written];
  const currency = written.currency?.toUpperCase() ?? '';
  const parts = settles.split(/[+;]/).map((text) => {
    const [, amount = '', code = '', rate = null] = PART.exec(text.trim()) ?? [];
    const own = code.toUpperCase();
    const isSame = own === currency || own === PEGGED[currency];
    return {
      currency: own,
      amount: readDecimal(amount),
      rate: rate === null ? (isSame ? Decimal.ONE : null) : readDecimal(rate),
    };
  });
  const paid = readDecimal(written.amount ?? '');
  if (paid === null || parts.some(({ amount }) => amount === null))
    return [`settles ${settles}: write it as 600 EUR @ 1.10 + 250 USD`];
  if (parts.some(({ rate }) => rate === null)) return [written];
  const lines = parts.map(({ currency: settledCurrency, amount, rate }) => {
    const value = (amount ?? Decimal.ZERO).times(rate ?? Decimal.ONE);
    const id = written.id === null ? null : `${written.id} ${settledCurrency}`;
    const own =
      settledCurrency === currency
        ? { rate: null, settledCurrency: null }
        : { rate: rate?.toString() ?? null, settledCurrency };
    return { value, line: { ...written, ...own, id, amount: value.toString(), withheld: null, gross: null } };
  });
  const withheld = readDecimal(written.withheld ?? '') ?? Decimal.ZERO;
  const rest = lines.reduce((left, { value }) => left.minus(value), paid.plus(withheld));
  const id = written.id === null ? null : `${written.id} exchange`;
  const exchange = { ...written, id, type: 'exchange', amount: rest.toString(), withheld: null, gross: null };
  return [...lines.map(({ line }) => line), ...(rest.isZero ? [] : [exchange])];
}
