import { describe, expect, it } from 'vitest';
import { freezeTerms, judgingTerms, type RunTerms, termsHash, thawTerms } from '../../src/rules/terms.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import { at, dec, STATUSES, someTolerances } from '../support/builders.ts';

const RELEASED = { value: 'RELEASED', stage: 7, terminal: true, stuckAfter: null, mayReturnTo: null };
const FAILED = { value: 'failed', stage: 1, terminal: false, stuckAfter: 86_400_000, mayReturnTo: 0 };

/** Terms with every kind of value in them. */
const TERMS: RunTerms = {
  timezone: 'UTC',
  statuses: { purchase: new Map([['RELEASED', RELEASED]]), sale: new Map([['failed', FAILED]]) },
  tolerances: {
    fiat: { absolute: dec('0.02'), relative: dec('0.001') },
    crypto: { relative: dec('0.000000001') },
    requoted: { percentPoints: dec('0.25') },
    rate: { consistency: dec('0.000001'), reference: dec('0.1'), sinceQuote: dec('0.015') },
    networkFee: dec('0.25'),
    currencies: new Map([
      ['JPY', { absolute: 'minor-unit', relative: undefined }],
      ['GBP', { absolute: undefined, relative: dec('0.002') }],
    ]),
    rules: new Map([['AMOUNT_DIFFERS', { absolute: dec('0.5'), relative: dec('0.003') }]]),
  },
  rules: { STATUS_STUCK: 'off', QUOTE_MISSING: { severity: 'medium' } },
  binding: { price: 'indicative', networkFee: 'locked' },
  window: { before: 1_800_000, after: 600_000 },
  identifierName: 'Maker',
  feeCeilings: [],
  deliveries: null,
  prices: null,
};

/** Kept for years beside every run, so its form is written out. */
const FROZEN =
  '{"binding":{"networkFee":"locked","price":"indicative"},' +
  '"feeCeilings":[],' +
  '"identifierName":"Maker",' +
  '"rules":{"QUOTE_MISSING":{"severity":"medium"},"STATUS_STUCK":"off"},' +
  '"statuses":{' +
  '"purchase":[{"mayReturnTo":null,"stage":7,"stuckAfter":null,"terminal":true,"value":"RELEASED"}],' +
  '"sale":[{"mayReturnTo":0,"stage":1,"stuckAfter":86400000,"terminal":false,"value":"failed"}]},' +
  '"tolerances":{' +
  '"crypto":{"relative":"0.000000001"},' +
  '"currencies":{"GBP":{"relative":"0.002"},"JPY":{"absolute":"minor-unit"}},' +
  '"fiat":{"absolute":"0.02","relative":"0.001"},' +
  '"networkFee":"0.25",' +
  '"rate":{"consistency":"0.000001","reference":"0.1","sinceQuote":"0.015"},' +
  '"requoted":{"percentPoints":"0.25"},' +
  '"rules":{"AMOUNT_DIFFERS":{"absolute":"0.5","relative":"0.003"}}},' +
  '"window":{"after":600000,"before":1800000}}';

describe('the terms of a run', () => {
  it('are frozen with decimals as text and names in order', () => {
    expect(freezeTerms(TERMS)).toBe(FROZEN);
  });

  it('are the same after years: statuses, tolerances, rules, window', () => {
    expect(thawTerms(FROZEN)).toEqual(TERMS);
  });

  it('from before prices could be indicative: every quote binds, as it did then', () => {
    const before = FROZEN.replace('"binding":{"networkFee":"locked","price":"indicative"},', '')
      .replace('"networkFee":"0.25",', '')
      .replace(',"sinceQuote":"0.015"', '');
    expect(thawTerms(before).binding).toEqual({ price: 'locked', networkFee: 'locked' });
    expect(thawTerms(before).tolerances.rate.sinceQuote.isZero).toBe(true);
  });

  it('keep a tolerance of one minor unit, for any currency', () => {
    const thawed = thawTerms(freezeTerms(someRunTerms()));
    expect(thawed).toEqual(someRunTerms());
    expect(thawed.tolerances.fiat.absolute).toBe('minor-unit');
  });

  it('have the same hash wherever they judge alike', () => {
    expect(termsHash('the terms')).toBe('47f9b84e231f0e704e963fe18466bceeed422b2c264a01867f6366b98f9afbb4');
    const reordered = { ...TERMS, rules: { QUOTE_MISSING: { severity: 'medium' }, STATUS_STUCK: 'off' } } as const;
    expect(termsHash(freezeTerms(reordered))).toBe(termsHash(FROZEN));
    expect(termsHash(freezeTerms({ ...TERMS, identifierName: 'Service' }))).not.toBe(termsHash(FROZEN));
  });

  it('name the time zone where it is not UTC, which older ones counted working days in', () => {
    const zoned = freezeTerms({ ...TERMS, timezone: 'Europe/Berlin' });
    expect(thawTerms(zoned).timezone).toBe('Europe/Berlin');
    expect(thawTerms(FROZEN).timezone).toBe('UTC');
  });

  it('show a rule what it may judge by, and the instant', () => {
    expect(judgingTerms(someRunTerms(), at('2026-11-02 23:00'))).toEqual({
      asOf: at('2026-11-02 23:00'),
      timezone: 'UTC',
      quotesCaptured: { purchase: true, sale: true },
      reusedTx: new Map(),
      statuses: STATUSES,
      tolerances: someTolerances(),
      binding: { price: 'indicative', networkFee: 'indicative' },
      window: { before: 1_800_000, after: 600_000 },
      identifierName: 'Service',
      feeCeilings: [],
      deliveries: null,
      prices: null,
    });
  });
});
