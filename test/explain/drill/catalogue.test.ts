import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/domain/case.ts';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import { CATALOGUE } from '../../../src/explain/drill/catalogue.ts';
import { edited } from '../../../src/explain/drill/edits.ts';
import { fits } from '../../../src/explain/drill/fits.ts';
import { readJson, writeJson } from '../../../src/explain/drill/json.ts';
import { RULES } from '../../../src/rules/index.ts';
import { aCase, aMatchedQuote, aPurchase, aSale, at } from '../../support/builders.ts';

it('has at least 150 material changes, each of its own name, with a sentence and codes that exist', () => {
  const codes = new Set([...RULES.map(({ code }) => code), 'import']);
  expect(CATALOGUE.filter(({ material }) => material).length).toBeGreaterThanOrEqual(150);
  expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
  for (const { id, speaks, sentence, edits } of CATALOGUE) {
    expect([id, speaks.filter((code) => !codes.has(code))]).toEqual([id, []]);
    expect(sentence, id).toMatch(/^§2\.\d+ \S|unknown/);
    expect(edits, id).not.toBe('');
  }
});

const FIELDS = [
  'endTime asset.address asset.symbol asset.name asset.decimals asset.type cryptoAmount fiatCurrency fiatValue assetExchangeRate',
  'assetExchangeRateEur baseServiceFee networkFee appliedFee purchaseViewToken receiverAddress createdAt updatedAt status finalTxHash',
  'paymentMethodType crypto.amount crypto.assetInfo.address crypto.assetInfo.symbol crypto.assetInfo.chain crypto.assetInfo.type',
  'crypto.assetInfo.name crypto.assetInfo.decimals fiat.amount fiat.currencySymbol',
];

it.each(FIELDS.join(' ').split(' '))('changes %s', (field) => {
  expect(CATALOGUE.filter(({ edits }) => edits.split('; ').some((edit) => edit.startsWith(`${field} `)))).not.toEqual(
    [],
  );
});

const BODY =
  '{"fiatValue":104.76,"appliedFee":4.76,"cryptoAmount":"40000000000000000","assetExchangeRate":2500.00,"asset":{"decimals":18,' +
  '"address":"0xab3c"},"createdAt":"2026-11-01T10:00:00.000Z","note":null}';

it.each([
  ['fiatValue * 2', '"fiatValue":209.52'],
  ['fiatValue + 0.01 appliedFee', '"fiatValue":104.8076'],
  ['fiatValue text', '"fiatValue":"104.76"'],
  ['cryptoAmount * 0.99', '"cryptoAmount":"39600000000000000"'],
  ['cryptoAmount number', '"cryptoAmount":40000000000000000'],
  ['appliedFee + 10; cryptoAmount foots', '"cryptoAmount":"36000000000000000"'],
  ['appliedFee + 10; fiatValue foots', '"fiatValue":114.76'],
  ['asset.address flip', '"address":"0xab4c"'],
  ['asset.decimals + -1', '"decimals":17'],
  ['hostFeeCut = 1', '"hostFeeCut":1'],
  ['createdAt at createdAt -1.5h', '"createdAt":"2026-11-01T08:30:00.000Z"'],
])('%s', (edits, says) => {
  const body = readJson(BODY);
  const changed = edited(body, edits);
  expect(changed === null ? null : writeJson(changed)).toContain(says);
  // The rest is as it was, to the digit.
  expect(writeJson(body)).toBe(BODY);
});

it.each([
  'networkFee * 2',
  'note drop; note flip',
  'fiatValue * 1',
  'asset.name.x = 1',
  // No tokens are left for a fee above the payment.
  'appliedFee + 200; cryptoAmount foots',
])('%s is not possible', (edits) => {
  expect(edited(readJson(BODY), edits)).toBeNull();
});

it('plants no higher fee in a record whose fee is below the promised one: it would still be lower', () => {
  const asPromised = (appliedFee: string) => {
    const state = aPurchase({ appliedFee });
    return fits('as-promised', aCase({ state, quote: aMatchedQuote() }), state, at('2026-11-02 04:15'));
  };
  expect([asPromised('4.76'), asPromised('4.80'), asPromised('3.76')]).toEqual([true, true, false]);
});

describe('what time has made unknowable is not planted', () => {
  const NIGHT = at('2026-11-25 04:15');
  const fit = (word: string, parts: Parameters<typeof aCase>[0] & { state: RecordState }, asOf = NIGHT) =>
    fits(word, aCase(parts), parts.state, asOf);

  it('a price in EUR of a purchase that never executed, after nine days: currencies move by more than the change', () => {
    const state = aPurchase({ status: 'CANCELLED', createdAt: at('2026-11-20 10:00') });
    expect(fit('rate-near', { state })).toBe(true);
    expect(fit('rate-near', { state }, at('2026-12-20 04:15'))).toBe(false);
  });

  it('a network fee that was paid hours after both listings, or beside one alone', () => {
    const state = aPurchase();
    const created = state.createdAt ?? 0;
    const listed = (hours: number) => ({
      assets: { asset: null, global: null, capturedAt: created + hours * 3_600_000 },
    });
    const reference = (after?: number) => ({
      ...aCase().reference,
      before: listed(-1),
      after: after === undefined ? undefined : listed(after),
    });
    expect(fit('timely', { state, reference: reference(20) as Case['reference'] })).toBe(true);
    expect(fit('timely', { state, reference: reference(-30) as Case['reference'] })).toBe(false);
    expect(fit('timely', { state, reference: reference() as Case['reference'] })).toBe(false);
  });

  it('a payout that is a third less of a small sale: its fee, which nothing states, may be three EUR', () => {
    const fitted = (fiatValue: string, fiatCurrency: string) =>
      fit('worth:50', { state: aSale({ fiatValue, fiatCurrency }) });
    expect([fitted('26.01', 'EUR'), fitted('60', 'EUR')]).toEqual([false, true]);
    // Nothing tells what the currency is worth.
    expect(fitted('600', 'USD')).toBe(false);
  });

  it('another method in the quote of a record that has that method', () => {
    const state = aPurchase({ paymentMethod: 'PIX' });
    expect([fit('not-method:PIX', { state }), fit('not-method:CARD_PAYMENT', { state })]).toEqual([false, true]);
  });
});
