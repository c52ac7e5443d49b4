/** What the records of a night have in common: counted by hand here, over nights that a test writes record by record. */
import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import type { DueClass } from '../../src/domain/due.ts';
import { Medians, median, type OneSidedMarket, surveyed } from '../../src/domain/survey.ts';
import type { KeptMove, MoveStore } from '../../src/ports/store/store.ts';
import { thawRun } from '../../src/reconcile/run-book.ts';
import { surveyRun } from '../../src/reconcile/survey.ts';
import { anUnreachable, aPurchase, aSale, at, dec, type StateOverrides } from '../support/builders.ts';
import { aJudgeStore, aLinkedQuote, aRun, aStoredCase, type Night, NO_MOVES } from './support/judging.ts';

const FENCE = { name: 'nightly', token: 1 };

function survey(cases: Night['cases'], { moves = NO_MOVES, run = aRun(), page = 250 } = {}) {
  const { store, asked } = aJudgeStore({ cases, page });
  return surveyRun(thawRun(run), { ...store, moves }, FENCE).then((counts) => ({ counts, asked }));
}

const numbered = (n: number) => `p${String(n).padStart(4, '0')}`;
const bare = (n: number, state: StateOverrides = {}) =>
  aStoredCase({ recordKey: n, state: aPurchase({ recordId: numbered(n), ...state }), linked: null });
const quoted = (n: number, price: string, method: Parameters<typeof aLinkedQuote>[0] = {}) =>
  aStoredCase({
    recordKey: n,
    state: aPurchase({ recordId: numbered(n) }),
    linked: aLinkedQuote({ method: { ...methodOf(), exchangeRate: dec(price) }, ...method }),
  });
function methodOf() {
  const { method } = aLinkedQuote();
  if (method === null) throw new Error('the default quote has a method');
  return method;
}

it('verified records are counted by direction, with and without a quote', async () => {
  const sale = aStoredCase({ recordKey: 9, state: aSale({ recordId: 's9' }), linked: null });
  const unread = { ...bare(8), observation: anUnreachable() };
  const { counts } = await survey([quoted(1, '2500'), bare(2), bare(3), unread, sale], { page: 2 });
  expect(counts).toMatchObject({
    of: 'run',
    quotes: { onramp: { records: 3, quoted: 1 }, offramp: { records: 1, quoted: 0 } },
  });
  expect(counts).not.toHaveProperty('oneSided');
});

it('a record that is due for an open break and has no quote is counted in the night that saw it first alone', async () => {
  const due = (dueClass: DueClass) => [
    { ...bare(1), dueClass },
    { ...bare(2), dueClass },
    { ...quoted(3, '2500'), dueClass },
  ];
  const onramp = async (night: Night['cases']) => (await survey(night)).counts.quotes.onramp;
  expect(await onramp(due('never-verified'))).toEqual({ records: 3, quoted: 1 });
  expect(await onramp(due('open-break'))).toEqual({ records: 1, quoted: 1 });
});

it('without a stored quote no case is built, and without records nothing is in common', async () => {
  const run = aRun({ watermarks: { quote: 0, reference: 5, breakEvent: 7, evidence: null } });
  const { counts, asked } = await survey([bare(1), quoted(2, '2500')], { run });
  expect(counts).toEqual({
    of: 'run',
    quotes: { onramp: { records: 2, quoted: 0 }, offramp: { records: 0, quoted: 0 } },
  });
  expect([asked.captured, asked.reference]).toEqual([[], []]);
  expect((await survey([])).counts.quotes).toEqual({
    onramp: { records: 0, quoted: 0 },
    offramp: { records: 0, quoted: 0 },
  });
});

// Published: 2490.
it('the margin of an asset is the one in the middle of its quotes, from five on', async () => {
  const prices = ['2514.9', '2539.8', '2539.8', '2564.7', '2739'];
  const night = prices.map((price, i) => quoted(i + 1, price));
  expect((await survey(night)).counts.margins).toEqual({ 'ETH_ETH/onramp': '0.02', onramp: '0.02' });
  expect((await survey(night.slice(1))).counts).not.toHaveProperty('margins');
});

it.each([
  ['has no published price beside its own', null, '2500'],
  ['has a published price of zero', '0', '2500'],
  ['names no rate', '2490', null],
])('a quote that %s tells no margin', async (_what, published, price) => {
  const { quote } = aLinkedQuote();
  const terms = quote.assetTerms;
  if (terms === null) throw new Error('the default quote has terms');
  const night = [1, 2, 3, 4, 5].map((n) =>
    quoted(n, '2500', {
      quote: { ...quote, assetTerms: { ...terms, price: published === null ? null : dec(published) } },
      method: { ...methodOf(), exchangeRate: price === null ? null : dec(price) },
    }),
  );
  expect((await survey(night)).counts).not.toHaveProperty('margins');
});

// 101.80 are converted where 104.76 are charged with a fee of 2.96.
it('the host fee of most purchases is its share of what was converted', async () => {
  const withFee = (n: number, fee: string | null) =>
    quoted(n, '2500', { method: { ...methodOf(), hostFeeCut: fee === null ? null : dec(fee) } });
  expect((await survey([withFee(1, '1'), withFee(2, '1'), withFee(3, null)])).counts.hostShare).toBe('0.01');
  expect((await survey([withFee(1, '1'), withFee(2, null), withFee(3, null)])).counts).not.toHaveProperty('hostShare');
});

it('of purchases without a quote the host fee is what they state', async () => {
  const stating = (n: number, fee: string | null) => bare(n, { hostFeeCut: fee });
  expect((await survey([stating(1, '1'), stating(2, null)])).counts.hostShare).toBe('0.01');
  expect((await survey([stating(1, null)])).counts).not.toHaveProperty('hostShare');
});

it('where no body names it the host fee is what most have above base and network fee, of at least five', async () => {
  // Of 100 EUR: 104.76 with 3.90 and 0.86 in it.
  const adding = (n: number, more: string) =>
    bare(n, { appliedFee: dec('4.76').plus(dec(more)).toString(), fiatValue: '104.76' });
  const night = (...more: string[]) =>
    survey(more.map((each, i) => adding(i + 1, each))).then(({ counts }) => counts.hostShare);
  expect(await night('0.4', '0.4', '0.4', '0.4', '0.4')).toBe('0.004');
  expect(await night('0.4', '0.4', '0.4', '0.4')).toBeUndefined();
  expect(await night('0.4', '0.4', '0', '0', '0')).toBeUndefined();
  // A discount and more than a host takes are neither.
  expect(await night('0.4', '0.4', '-1', '-1', '-1', '5')).toBeUndefined();
  const stated = [1, 2, 3, 4, 5].map((n) => adding(n, '0.4')).concat(bare(6, { hostFeeCut: '1' }));
  expect((await survey(stated)).counts.hostShare).toBe('0.01');
});

// Each is priced in both currencies, and does not say what one PLN is in EUR.
const zloty = (n: number, rate: string, rateEur: string | null, over: StateOverrides = {}) =>
  bare(n, {
    fiatCurrency: 'PLN',
    exchangeRate: rate,
    exchangeRateEur: rateEur,
    fiatRateEur: null,
    ...over,
  });

it('EUR for one unit of a currency is the middle of what the records of its day say, from four on', async () => {
  const night = [
    zloty(1, '10000', '2300'),
    zloty(2, '10000', '2320'),
    zloty(3, '10000', '2340'),
    zloty(4, '10000', '9'),
  ];
  expect((await survey(night)).counts.fiatRates).toEqual({ 'PLN/2026-11-01': '0.23' });
  expect((await survey(night.slice(1))).counts).not.toHaveProperty('fiatRates');
  const nextDay = night.map((each, i) =>
    i === 3 ? zloty(4, '10000', '9', { createdAt: at('2026-11-02 00:00') }) : each,
  );
  expect((await survey(nextDay)).counts).not.toHaveProperty('fiatRates');
});

it('what was not executed is counted by itself too: its rate is of the moment of its reading', async () => {
  const paid = [1, 2, 3, 4].map((n) => zloty(n, '10000', '2300'));
  const unpaid = [5, 6, 7].map((n) => zloty(n, '10000', '2410', { status: 'EXPIRED', finalTxHash: null }));
  const day = { 'PLN/2026-11-01': '0.23' };
  expect((await survey([...paid, ...unpaid])).counts.fiatRates).toEqual(day);
  const another = zloty(8, '10000', '2410', { status: 'CREATED', finalTxHash: null });
  const both = { ...day, 'PLN/2026-11-01 not executed': '0.241' };
  expect((await survey([...paid, ...unpaid, another])).counts.fiatRates).toEqual(both);
});

it.each<[string, StateOverrides]>([
  ['is in EUR', { fiatCurrency: 'EUR' }],
  ['states that rate itself', { fiatRateEur: '0.23' }],
  ['has no price in EUR', { exchangeRateEur: null }],
  ['has no price', { exchangeRate: null }],
  ['has a price of zero', { exchangeRate: '0' }],
  ['was created at no time', { createdAt: null }],
])('a record that %s says nothing of it', async (_what, over) => {
  const night = [1, 2, 3, 4].map((n) => zloty(n, '10000', '2300', over));
  expect((await survey(night)).counts).not.toHaveProperty('fiatRates');
});

it('moves are kept page by page, old ones go, and a market that lies on one side is named', async () => {
  const kept: KeptMove[] = [];
  const forgotten: number[] = [];
  const startHour = Date.parse('2026-11-01T00:00:00Z') / 3_600_000;
  const skimmed = Array.from({ length: 24 }, (_, hour) => ({
    recordKey: 100 + hour,
    market: 'ETH_ETH/EUR/onramp',
    fromHour: startHour + hour,
    toHour: startHour + hour,
    share: 300_000_000n + BigInt(hour % 3) * 1_000_000n,
    loss: dec('0.3'),
  }));
  const moves: MoveStore = {
    keep: async (_fence, page) => void kept.push(...page),
    forget: async (_fence, before) => void forgotten.push(before),
    pages: async function* () {
      yield skimmed as unknown as KeptMove[];
    },
  };
  const { counts } = await survey([quoted(1, '2500'), quoted(2, '2500'), bare(3)], { moves, page: 1 });
  expect(kept.map(({ recordKey, market }) => [recordKey, market])).toEqual([
    [1, 'ETH_ETH/EUR/onramp'],
    [2, 'ETH_ETH/EUR/onramp'],
  ]);
  expect(forgotten).toEqual([Date.parse('2026-11-02T04:00:00Z') / 3_600_000 - 719]);
  expect(counts.oneSided?.map(({ market, records, against }: OneSidedMarket) => [market, records, against])).toEqual([
    ['ETH_ETH/EUR/onramp', 24, 24],
  ]);
});

it('a median is the lower of two in the middle, counts repeats, and is zero of nothing', () => {
  const of = (...figures: [string, number][]) => `${median(new Map(figures))}`;
  expect(of(['3', 1], ['1', 1], ['2', 1])).toBe('2');
  expect(of(['1', 1], ['2', 1])).toBe('1');
  expect(of(['1', 1], ['9', 5])).toBe('9');
  expect(of(['10', 2], ['9', 2], ['-1', 1])).toBe('9');
  expect(of()).toBe('0');
});

it('figures of one name beyond the most different ones add nothing', () => {
  const figures = new Medians(2);
  for (const each of ['1', '2', '3', '3']) figures.add('a', Decimal.parse(each));
  figures.add('b', Decimal.parse('7'));
  expect(figures.of(1)).toEqual({ a: '1', b: '7' });
  expect(figures.of(2)).toEqual({ a: '1' });
});

it('a name that the survey does not have has no figure, not even a built-in one', () => {
  expect(surveyed({ a: '0.5' }, 'a')?.toString()).toBe('0.5');
  expect([surveyed({}, 'toString'), surveyed(undefined, 'a'), surveyed({ a: '1' }, null)]).toEqual([null, null, null]);
});
