import { describe, expect, it } from 'vitest';
import type { Decimal } from '../../src/domain/decimal.ts';
import type { Survey } from '../../src/domain/survey.ts';
import { type PreviewChange, preview } from '../../src/explain/preview.ts';
import type { BuildCases } from '../../src/explain/recompute.ts';
import type { StoredCase } from '../../src/ports/store/store.ts';
import { buildCases, type Lookups } from '../../src/reconcile/build-cases.ts';
import { freezeTerms, type RunTerms } from '../../src/rules/terms.ts';
import {
  aJudgeStore,
  aLinkedQuote,
  aRun,
  aStoredCase,
  DEFERRED,
  type Night,
  someRunTerms,
} from '../reconcile/support/judging.ts';
import {
  aMatchedQuote,
  aPurchase,
  aQuote,
  aSnapshot,
  at,
  dec,
  FIRST_NIGHT,
  LOCKED,
  MINUTES,
  someTolerances,
} from '../support/builders.ts';

/** A fee, and so a total, that is higher than promised: against the same three rules on every night. */
const overcharged = (recordId: string, more: 'by 1.50' | 'by 0.60') =>
  aStoredCase({
    state: aPurchase(
      more === 'by 1.50'
        ? { recordId, appliedFee: '6.26', fiatValue: '106.26' }
        : { recordId, appliedFee: '5.36', fiatValue: '105.36' },
    ),
  });

const withoutQuote = (recordId: string) => aStoredCase({ state: aPurchase({ recordId }), linked: null });

const casesOf =
  (store: Lookups): BuildCases =>
  (page, run, terms) =>
    buildCases(page, run, terms, store);

async function compared(
  cases: readonly StoredCase[],
  terms: { present?: RunTerms; changed?: RunTerms },
  night: Night & { survey?: Survey } = {},
) {
  const { store } = aJudgeStore({ cases, ...night });
  const changes: PreviewChange[] = [];
  const { survey = null } = night;
  const run = aRun({ terms: freezeTerms(terms.present ?? someRunTerms({ binding: LOCKED })), survey });
  const rows = await preview(run, terms.changed ?? someRunTerms({ binding: LOCKED }), store, casesOf(store), (change) =>
    changes.push(change),
  );
  const rowOf = (rule: string) => rows.find((row) => row.rule === rule);
  return {
    rows,
    rowOf,
    changes: changes.map(({ change, kind, recordId, finding }) => [
      change,
      kind,
      recordId,
      finding.rule,
      finding.field,
    ]),
  };
}

const inText = (totals: ReadonlyMap<string, Decimal> | undefined) =>
  [...(totals ?? [])].map(([currency, total]) => `${total} ${currency}`);

const OFF = someRunTerms({ binding: LOCKED, rules: { FEE_APPLIED_DIFFERS: 'off' } });
const PAIR = [overcharged('a', 'by 1.50'), overcharged('b', 'by 0.60')];

const NO_TOTALS = { addedTotals: new Map(), removedTotals: new Map() };

describe('a preview', () => {
  it('of the terms in force changes nothing', async () => {
    const { rowOf, changes } = await compared(PAIR, {});
    expect(changes).toEqual([]);
    const counts = { before: 2, after: 2, added: 0, removed: 0 };
    expect(rowOf('FEE_APPLIED_DIFFERS')).toEqual({ rule: 'FEE_APPLIED_DIFFERS', ...counts, ...NO_TOTALS });
  });

  it('lists the breaks that switching a rule off removes, with their sum by currency', async () => {
    const { rowOf, changes } = await compared(PAIR, { changed: OFF });
    expect(changes).toEqual([
      ['removed', 'purchase', 'a', 'FEE_APPLIED_DIFFERS', 'applied_fee'],
      ['removed', 'purchase', 'b', 'FEE_APPLIED_DIFFERS', 'applied_fee'],
    ]);
    expect(rowOf('FEE_APPLIED_DIFFERS')).toMatchObject({ before: 2, after: 0, added: 0, removed: 2 });
    expect(inText(rowOf('FEE_APPLIED_DIFFERS')?.removedTotals)).toEqual(['2.1 EUR']);
    expect(rowOf('FEE_APPLIED_DIFFERS')?.addedTotals.size).toBe(0);
  });

  it('lists the breaks that switching a rule on adds', async () => {
    const pounds = { fiatCurrency: 'GBP', exchangeRateEur: null, fiatRateEur: null } as const;
    const inPounds = aStoredCase({
      state: aPurchase({ ...pounds, recordId: 'c', appliedFee: '4', fiatValue: '104' }),
      linked: aLinkedQuote({ quote: aQuote({ fiatCurrency: 'GBP', assetTerms: null }) }),
    });
    const { rowOf, changes } = await compared([...PAIR, inPounds], { present: OFF });
    expect(changes.map(([change, , recordId]) => [change, recordId])).toEqual([
      ['added', 'a'],
      ['added', 'b'],
      ['added', 'c'],
    ]);
    expect(rowOf('FEE_APPLIED_DIFFERS')).toMatchObject({ before: 0, after: 3, added: 3, removed: 0 });
    expect(inText(rowOf('FEE_APPLIED_DIFFERS')?.addedTotals)).toEqual(['2.1 EUR', '-0.76 GBP']);
    expect(rowOf('FEE_APPLIED_DIFFERS')?.removedTotals.size).toBe(0);
  });

  it('counts breaks without an amount, and has no sum for them', async () => {
    const { rows } = await compared([withoutQuote('a')], {
      changed: someRunTerms({ binding: LOCKED, rules: { QUOTE_MISSING: 'off' } }),
    });
    const counts = { before: 1, after: 0, added: 0, removed: 1 };
    expect(rows).toEqual([{ rule: 'QUOTE_MISSING', ...counts, ...NO_TOTALS }]);
  });

  it('sums amounts of money only: a rate has a difference, but no currency', async () => {
    const asBooked = aSnapshot(aPurchase({ hostFeeCut: '0.50', exchangeRate: '2490' }), at('2026-11-01 12:00'));
    const restated = aStoredCase({
      state: aPurchase({ hostFeeCut: '0.75' }),
      history: { ...FIRST_NIGHT, first: asBooked, firstTerminal: asBooked },
    });
    const { changes, rowOf } = await compared([restated], {
      changed: someRunTerms({ binding: LOCKED, rules: { RESTATED: 'off' } }),
    });
    expect(changes.map(([change, , , , field]) => [change, field])).toEqual([
      ['removed', 'host_fee_cut'],
      ['removed', 'exchange_rate'],
    ]);
    expect(inText(rowOf('RESTATED')?.removedTotals)).toEqual(['0.25 EUR']);
  });

  it('counts a rule of severity info as removed: it opens no break', async () => {
    const rules = { FEE_APPLIED_DIFFERS: { severity: 'info' } } as const;
    const { rowOf } = await compared(PAIR, { changed: someRunTerms({ binding: LOCKED, rules }) });
    expect(rowOf('FEE_APPLIED_DIFFERS')).toMatchObject({ before: 2, after: 0, removed: 2 });
  });

  it('lists breaks of the run and of a market too, which no record has', async () => {
    const survey: Survey = {
      of: 'run',
      quotes: { onramp: { records: 2, quoted: 2 }, offramp: { records: 5, quoted: 1 } },
      oneSided: [
        {
          market: 'ETH_USDC/EUR/onramp',
          ...{ records: 30, against: 30, hours: 20, mean: '0.003', low: '0.002', high: '0.004', loss: '12.40' },
        },
      ],
    };
    const rules = { QUOTES_NOT_CAPTURED: 'off', SLIPPAGE_ONE_SIDED: { severity: 'info' } } as const;
    const changed = someRunTerms({ binding: LOCKED, rules });
    const { changes } = await compared([], { changed }, { survey });
    expect(changes).toEqual([
      ['removed', 'run', 'offramp', 'QUOTES_NOT_CAPTURED', 'quote'],
      ['removed', 'market', 'ETH_USDC/EUR/onramp', 'SLIPPAGE_ONE_SIDED', 'exchange_rate'],
    ]);
    const back = await compared([], { present: changed }, { survey });
    expect(back.rows.map(({ rule, added }) => [rule, added])).toEqual([
      ['QUOTES_NOT_CAPTURED', 1],
      ['SLIPPAGE_ONE_SIDED', 1],
    ]);
    const chosen = await compared([], { changed }, { survey: { ...survey, of: 'night' } });
    expect(chosen.changes).toEqual([]);
  });

  it('keeps findings of one rule separate by their field', async () => {
    // 105.26 EUR and 0.0402 ETH against the promised 104.76 EUR and 0.04 ETH.
    const state = aPurchase({
      cryptoUnits: 40_200_000_000_000_000n,
      fiatValue: '105.26',
    });
    const tolerances = someTolerances({ crypto: { relative: dec('0.01') } });
    const { rowOf, changes } = await compared([aStoredCase({ state })], {
      changed: someRunTerms({ binding: LOCKED, tolerances }),
    });
    expect(changes.filter(([, , , rule]) => rule === 'AMOUNT_DIFFERS')).toEqual([
      ['removed', 'purchase', 'sqs6a428mqjtzbv', 'AMOUNT_DIFFERS', 'crypto_amount'],
    ]);
    expect(rowOf('AMOUNT_DIFFERS')).toMatchObject({ before: 2, after: 1, added: 0, removed: 1 });
    const back = await compared([aStoredCase({ state })], { present: someRunTerms({ binding: LOCKED, tolerances }) });
    expect(back.changes.filter(([, , , rule]) => rule === 'AMOUNT_DIFFERS')).toEqual([
      ['added', 'purchase', 'sqs6a428mqjtzbv', 'AMOUNT_DIFFERS', 'crypto_amount'],
    ]);
  });

  it('keeps two rules about the same field separate', async () => {
    // 1.50 EUR that neither the quote nor the record's own parts explain.
    const state = aPurchase({ fiatValue: '106.26' });
    const changed = someRunTerms({ binding: LOCKED, rules: { TOTAL_NOT_FOOTING: 'off' } });
    const { changes, rowOf } = await compared([aStoredCase({ state })], { changed });
    expect(changes).toEqual([['removed', 'purchase', 'sqs6a428mqjtzbv', 'TOTAL_NOT_FOOTING', 'fiat_value']]);
    expect(rowOf('AMOUNT_DIFFERS')).toMatchObject({ before: 1, after: 1 });
    const back = await compared([aStoredCase({ state })], { present: changed });
    expect(back.changes).toEqual([['added', 'purchase', 'sqs6a428mqjtzbv', 'TOTAL_NOT_FOOTING', 'fiat_value']]);
  });

  it('matches quotes by each side’s own window', async () => {
    // The quote is four minutes older than the purchase.
    const changed = someRunTerms({ binding: LOCKED, window: { before: 3 * MINUTES, after: 0 } });
    const { changes } = await compared([withoutQuote('a')], { changed }, { captured: [aMatchedQuote().quote] });
    expect(changes).toEqual([['added', 'purchase', 'a', 'QUOTE_MISSING', 'quote']]);
  });

  it('goes through all pages of the run, and leaves out records that were not read', async () => {
    const cases = [...PAIR, aStoredCase({ state: aPurchase({ recordId: 'c' }), observation: DEFERRED })];
    const { rowOf } = await compared([...cases, overcharged('d', 'by 0.60')], { changed: OFF }, { page: 2 });
    expect(rowOf('FEE_APPLIED_DIFFERS')).toMatchObject({ before: 3, removed: 3 });
  });

  it('has its rows in order of the rules’ codes', async () => {
    const { rows } = await compared([withoutQuote('a'), overcharged('b', 'by 1.50')], { changed: OFF });
    expect(rows.map(({ rule }) => rule)).toEqual([
      'AMOUNT_DIFFERS',
      'FEE_APPLIED_DIFFERS',
      'FEE_OUT_OF_BOUNDS',
      'QUOTE_MISSING',
    ]);
  });

  it('of a run that is still fetching is refused', async () => {
    const { store } = aJudgeStore();
    const run = { ...aRun({ state: 'fetching' }), watermarks: null };
    await expect(preview(run, someRunTerms({ binding: LOCKED }), store, casesOf(store), () => {})).rejects.toThrow(
      'run nightly-2026-11-02-r1 has not been judged yet: it is fetching',
    );
  });
});
