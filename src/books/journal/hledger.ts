/**
 * hledger ("Journal format": commodity and account directives, transaction codes, tags, balance assertions). Declares what it
 * uses, so that `hledger check --strict` holds. The accounts end in the month, as in the Beancount file and for its reasons.
 */
import { inMinorUnits, minorUnitDigits } from '../../domain/currency.ts';
import { accountsOf, clearingBalances } from './beancount.ts';
import { type Layout, signedAmount } from './layout.ts';

export const hledger: Layout = {
  extension: 'journal',
  write: ({ entries, chart }) => {
    const currencies = [...new Set(entries.map(({ currency }) => currency))].sort();
    return [
      'decimal-mark .',
      '',
      ...currencies.map((currency) => `commodity ${sample(currency)} ${currency}`),
      ...accountsOf(entries, chart).map((account) => `account ${account}`),
      '',
      ...entries.flatMap(({ key, date, memo, statement, evidence, currency, postings }) => [
        `${date} * (${key}) ${memo}`,
        ...(evidence === null ? [] : [`    ; evidence: ${evidence}`]),
        ...postings.map((line) => `    ${chart[line.role]}:${statement}  ${signedAmount(line, currency)} ${currency}`),
        '',
      ]),
      ...clearingBalances(entries, chart).flatMap(({ date, account, amount, currency }) => [
        `${date} * Balance after this file`,
        `    ${account}  0 ${currency} = ${inMinorUnits(amount, currency)} ${currency}`,
        '',
      ]),
    ].join('\n');
  },
};

/** An amount that shows the places of a currency; the decimal mark has to be there even without any. */
function sample(currency: string): string {
  const digits = minorUnitDigits(currency) ?? 2;
  return digits === 0 ? '1000.' : `1000.${'0'.repeat(digits)}`;
}
