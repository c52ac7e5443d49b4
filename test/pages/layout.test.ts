import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { comparedMoney, exact, money, prose, stake, withNames } from '../../src/pages/layout.ts';
import { actInWords } from '../../src/pages/people.ts';
import { aBreak } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';

/** What a person reads: the text between the tags. */
const read = (html: { toString(): string }) => html.toString().replaceAll(/<[^>]*>/g, '');

test.each([
  ['1234.5', 'EUR', '1,234.50 EUR'],
  ['-66', 'EUR', '−66.00 EUR'],
  ['33', 'JPY', '33 JPY'],
  ['0', 'KWD', '0.000 KWD'],
  // As zero it would say that nothing differs.
  ['0.004', 'EUR', '0.004 EUR'],
  ['-0.0004', 'KWD', '−0.0004 KWD'],
  ['0.006', 'EUR', '0.01 EUR'],
  // Not in ISO 4217.
  ['0.050000000000003', 'ETH_ETH', '0.050000000000003 ETH_ETH'],
])('money of %s %s is shown as %s, with every digit in its title', (amount, currency, shown) => {
  expect(read(money(dec(amount), currency))).toBe(shown);
  expect(money(dec(amount), currency).toString()).toContain(`title="exactly ${amount} ${currency}"`);
});

test.each([
  ['-7.62', '−7.62'],
  ['-1561.15 USD', '−1,561.15 USD'],
  ['seen on 2026-10-05, 1561.15 USD', 'seen on 2026-10-05, 1,561.15 USD'],
])('in a sentence %s is shown as %s', (text, shown) => {
  expect(prose(text)).toBe(shown);
});

test('a rate and a tolerance have every digit', () => {
  expect(read(exact(dec('0.92345'), 'EUR'))).toBe('0.92345 EUR');
  expect(read(exact(dec('60000'), null))).toBe('60,000');
});

test('two rates of floating point differ by nothing, with every digit in the title', () => {
  const [recorded, promised] = [dec('51810.635528698454'), dec('51810.635528698453163873')];
  const shown = comparedMoney(recorded, promised, 'EUR', 5);
  expect(read(shown(recorded, 'EUR'))).toBe('51,810.63553 EUR');
  expect(read(shown(recorded.minus(promised), 'EUR'))).toBe('0.00000 EUR');
});

test('an unknown amount is an en dash, never zero', () => {
  expect(read(money(null, 'EUR'))).toContain('–');
  expect(read(exact(null, 'EUR'))).toContain('–');
});

test('money that stands on another break of the record is not unknown', () => {
  expect(read(stake(aBreak({ moneyAtStake: null, leadingBreakId: 'a'.repeat(64) })))).toBe('on the leading break');
  expect(read(stake(aBreak({ moneyAtStake: null })))).toContain('unknown');
});

test('names that a sentence quotes are code, and still escaped', () => {
  expect(String(withNames('Ask with `slippage.csv`, <b> and `a&b`.'))).toBe(
    'Ask with <code>slippage.csv</code>, &lt;b&gt; and <code>a&amp;b</code>.',
  );
});

test('every act that is kept has words of its own', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const sources = globSync('src/{pages,cli}/**/*.ts', { cwd: root }).map((file) =>
    readFileSync(`${root}${file}`, 'utf8'),
  );
  const acts = new Set(
    sources.flatMap((text) => [...text.matchAll(/action: '([a-z]+\.[a-z]+)'/g)].map((found) => found[1] ?? '')),
  );
  expect([...acts]).toContain('period.close');
  expect([...acts].filter((act) => actInWords(act).includes(':'))).toEqual([]);
  // Those whose second part is the state or the decision.
  expect(['claim.written-off', 'waiver.approved', 'bulk.waived', 'GET /breaks.csv'].map(actInWords)).toEqual([
    'claim: written-off',
    'waiver: approved',
    'bulk decision: waived',
    'GET /breaks.csv',
  ]);
});
