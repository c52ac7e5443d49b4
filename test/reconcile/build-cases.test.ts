import { describe, expect, it } from 'vitest';
import type { StoredCase } from '../../src/ports/store/store.ts';
import { buildCases } from '../../src/reconcile/build-cases.ts';
import {
  aPurchase,
  aQuote,
  aQuotedMethod,
  aSale,
  at,
  FIRST_NIGHT,
  NO_REFERENCE,
  someAssetTerms,
  someFacts,
  someGlobalTerms,
  someReference,
  USDC,
} from '../support/builders.ts';
import { aJudgeStore, aRun, aStoredCase, MISSING, type Night, someRunTerms } from './support/judging.ts';

const AN_AUDIT = aRun({
  runId: 'audit-2026-11-02-r1',
  selection: { type: 'ids', ids: ['a'], kind: null, requote: true },
});

const purchase = (recordId: string, over: Parameters<typeof aPurchase>[0] = {}) => aPurchase({ recordId, ...over });

async function built(page: readonly StoredCase[], night: Night = {}, run = aRun()) {
  const { store, asked } = aJudgeStore(night);
  const cases = await buildCases(page, run, someRunTerms(), store);
  return { cases, asked, bases: cases.map(({ quote }) => quote?.basis ?? null) };
}

describe('a page of cases', () => {
  it('keeps the stored facts of each record, in order', async () => {
    const history = { ...FIRST_NIGHT, lastVerified: { at: at('2026-11-01 04:15'), status: 'RELEASING' } };
    const first = aStoredCase({ recordKey: 8, state: purchase('a'), history, attempts: 3 });
    const { cases } = await built([first, aStoredCase({ recordKey: 9, state: purchase('b') })]);
    expect(cases.map(({ recordKey, recordId, attempts }) => [recordKey, recordId, attempts])).toEqual([
      [8, 'a', 3],
      [9, 'b', 1],
    ]);
    expect(cases[0]).toMatchObject({
      kind: 'purchase',
      history,
      observation: first.observation,
      tracked: first.tracked,
    });
  });
});

describe('an asset that was renamed', () => {
  const since = '2026-11-01';
  const renamedAssets = [{ chain: 'ETH', was: 'ETH', now: 'ETHER', since }];
  const shown = aQuote({ asset: { ...aQuote().asset, symbol: 'ETHER' } });
  const builtOn = async (asOf: string) => {
    const { store } = aJudgeStore({ captured: [shown] });
    const page = [aStoredCase({ state: purchase('a'), linked: null })];
    const [found] = await buildCases(page, aRun({ asOf: at(asOf) }), someRunTerms({ renamedAssets }), store);
    return found?.quote?.quote.quoteId ?? null;
  };

  it('has both names from the day of the new one on, by the terms of its run', async () => {
    expect(await builtOn('2026-11-01 00:00')).toBe(shown.quoteId);
    expect(await builtOn('2026-10-31 23:59')).toBeNull();
  });

  it('is no other than before where the terms name none', async () => {
    const state = purchase('a');
    const { cases } = await built([aStoredCase({ state })]);
    const { observation } = cases[0] ?? {};
    expect(observation?.outcome === 'verified' ? observation.snapshot.state : null).toBe(state);
  });
});

describe('the quote of a case', () => {
  it('is the linked one, else a captured one, else none', async () => {
    const { bases, asked, cases } = await built(
      [
        aStoredCase({ state: purchase('a') }),
        aStoredCase({ state: purchase('b', { createdAt: null }), linked: null }),
        aStoredCase({ state: purchase('c'), linked: null }),
        aStoredCase({ state: purchase('d'), linked: null, observation: MISSING }),
        aStoredCase({
          state: purchase('e', { fiatValue: '52.38', cryptoUnits: 20_000_000_000_000_000n }),
          linked: null,
        }),
      ],
      { captured: [aQuote({ quoteId: 'shown' })] },
    );
    expect(bases).toEqual(['linked', null, 'captured', null, null]);
    expect(cases[2]?.quote?.quote.quoteId).toBe('shown');
    // One look-up a page, for those two that have something to go by, up to the newest quote that the run may see.
    expect(asked.captured.map(({ wanted, watermark }) => [wanted.length, watermark])).toEqual([[2, 3]]);
  });

  it('says that its tokens were asked for, where its total is nearly the record’s', async () => {
    const nearly = aStoredCase({ state: purchase('a', { fiatValue: '104.77' }) });
    const kept = new Map([[aQuote().quoteId, aQuote()]]);
    const askedBy = async (request: string, stored = nearly) =>
      (await built([stored], { requoted: kept, request })).cases[0]?.quote?.isByTokens;
    expect(await askedBy('{"cryptoAmount":"40000000000000000"}')).toBe(true);
    expect(await askedBy('{"fiatValue":104.76}')).toBeUndefined();
    expect(
      await askedBy('{"cryptoAmount":"40000000000000000"}', aStoredCase({ state: purchase('a') })),
    ).toBeUndefined();
    const { asked } = await built([aStoredCase({ state: purchase('a') })]);
    expect(asked.requoted).toEqual([]);
  });

  it('is a captured one for nearly its total only where that asked for tokens', async () => {
    const near = aQuote({ methods: [aQuotedMethod({ fiatValue: '103.90', cryptoUnits: 1n })] });
    const kept = new Map([[near.quoteId, near]]);
    const bases = async (request: string) => {
      const unlinked = aStoredCase({ state: purchase('a'), linked: null });
      return (await built([unlinked], { captured: [near], requoted: kept, request })).bases;
    };
    expect(await bases('{"cryptoAmount":"40000000000000000"}')).toEqual(['captured']);
    expect(await bases('{"fiatValue":103.90}')).toEqual([null]);
  });

  it('of another amount has the nearest quotes around it, the own one among them', async () => {
    const at150 = purchase('a', { fiatValue: '157.14', cryptoUnits: 60_000_000_000_000_000n });
    const quoteOf = (quoteId: string, fiatValue: string, rest = {}) =>
      aQuote({ quoteId, methods: [aQuotedMethod({ fiatValue, ...rest })] });
    const captured = [
      quoteOf('far', '240'),
      quoteOf('next', '180'),
      quoteOf('further', '200'),
      quoteOf('unknown', '160', { method: 'MANUAL_BANK_TRANSFER' }),
      quoteOf('less', '90'),
    ];
    const { cases, asked } = await built([aStoredCase({ state: at150 })], { captured });
    const around = cases[0]?.quote?.around;
    expect([around?.below.quoteId, around?.above.quoteId]).toEqual([cases[0]?.quote?.quote.quoteId, 'next']);
    // (4.76 − 0.86) ÷ 100 of the own quote.
    expect(around?.below.own.share.toString()).toBe('0.039');
    const amounts = asked.captured[0]?.wanted[0]?.amounts?.fiat.map(String);
    expect(amounts).toEqual(['78.57', '314.28']);
  });

  it.each([
    ['none is for more', [aQuote({ quoteId: 'less', methods: [aQuotedMethod({ fiatValue: '90' })] })]],
    ['one names no network fee', [aQuote({ methods: [aQuotedMethod({ fiatValue: '180', networkFee: null })] })]],
    ['one is for another currency', [aQuote({ fiatCurrency: 'GBP', methods: [aQuotedMethod({ fiatValue: '180' })] })]],
  ])('of another amount has no quotes around it where %s', async (_why, captured) => {
    const at150 = purchase('a', { fiatValue: '157.14', cryptoUnits: 60_000_000_000_000_000n });
    const { cases } = await built([aStoredCase({ state: at150 })], { captured });
    expect(cases[0]?.quote?.around).toBeUndefined();
  });

  it('is not looked for where every record has its own', async () => {
    const { asked } = await built([aStoredCase()]);
    expect(asked.captured).toEqual([]);
  });

  it('is the candidate of the record’s own place on the page', async () => {
    const small = { fiatValue: '52.38', cryptoUnits: 20_000_000_000_000_000n };
    const forSmall = aQuote({ quoteId: 'small', methods: [aQuotedMethod(small)] });
    const { cases } = await built(
      [
        aStoredCase({ state: purchase('a'), linked: null }),
        aStoredCase({ state: purchase('b') }),
        aStoredCase({ state: purchase('c', small), linked: null }),
      ],
      { captured: [forSmall, aQuote({ quoteId: 'large' })] },
    );
    expect(cases.map(({ quote }) => quote?.quote.quoteId)).toEqual(['large', 'q-17', 'small']);
  });
});

describe('a fresh quote', () => {
  const page = [
    aStoredCase({ state: purchase('a') }),
    aStoredCase({ state: purchase('b'), linked: null }),
    aStoredCase({ state: purchase('c'), linked: null, observation: MISSING }),
    aStoredCase({ state: purchase('d', { createdAt: null }), linked: null }),
  ];
  const requoted = new Map([
    ['requote-audit-2026-11-02-r1-purchase-a', aQuote({ quoteId: 'fresh a' })],
    ['requote-audit-2026-11-02-r1-purchase-b', aQuote({ quoteId: 'fresh b' })],
    ['requote-audit-2026-11-02-r1-purchase-c', aQuote({ quoteId: 'fresh c' })],
  ]);

  it('fills the place of a record that was read and has no other, in a run that asked for it', async () => {
    const { bases, asked, cases } = await built(page, { requoted }, AN_AUDIT);
    expect(bases).toEqual(['linked', 'requoted', null, null]);
    expect(cases[1]?.quote?.quote.quoteId).toBe('fresh b');
    expect(asked.requoted).toEqual([
      'requote-audit-2026-11-02-r1-purchase-b',
      'requote-audit-2026-11-02-r1-purchase-d',
    ]);
  });

  it('stands behind a captured one', async () => {
    const { bases } = await built(page, { requoted, captured: [aQuote()] }, AN_AUDIT);
    expect(bases).toEqual(['linked', 'captured', null, null]);
  });

  it('is of no interest to any other run', async () => {
    const { bases, asked } = await built(page, { requoted });
    expect(bases).toEqual(['linked', null, null, null]);
    expect(asked.requoted).toEqual([]);
  });
});

describe('the reference data of a case', () => {
  it.each([
    [
      'of the application, where the Service says one that cannot be true',
      '9999-01-01 00:00',
      '2026-11-01 10:01',
      '2026-11-01 10:01',
    ],
    ['of the Service, where both can be true', '2026-11-01 10:00', '2026-11-01 10:01', '2026-11-01 10:00'],
    ['of nobody, where neither can be true', '9999-01-01 00:00', '1970-01-01 00:00', null],
  ])('is that of the creation %s', async (_whose, createdAt, reported, expected) => {
    const state = purchase('a', { createdAt: at(createdAt) });
    const { asked } = await built([aStoredCase({ state, tracked: someFacts({ createdAt: at(reported) }) })]);
    expect(asked.reference[0]?.wanted[0]?.at).toBe(expected === null ? null : at(expected));
  });

  it('are those of the record’s creation, up to the newest that the run may see', async () => {
    const { asked } = await built([
      aStoredCase({ state: purchase('a', { createdAt: at('2026-10-01 12:00') }) }),
      aStoredCase({ state: aSale({ recordId: 'b', asset: USDC, fiatCurrency: 'GBP', createdAt: null }), linked: null }),
      aStoredCase({ state: purchase('c'), observation: MISSING }),
    ]);
    expect(asked.reference).toEqual([
      {
        watermark: 5,
        wanted: [
          { direction: 'onramp', currency: 'EUR', asset: aPurchase().asset, at: at('2026-10-01 12:00') },
          { direction: 'offramp', currency: 'GBP', asset: USDC, at: null },
          // Nothing is known of a record that could not be read, so nothing is asked for.
          { direction: 'onramp', currency: '', asset: null, at: null },
        ],
      },
    ]);
  });

  it('name the chain of a token whose body names none, and its quote is found by it', async () => {
    const bare = { ...USDC, chain: '' };
    const listed = someReference({ asset: { ...someAssetTerms({ decimals: 6 }), symbol: 'USDC' } });
    const elsewhere = aQuote({ quoteId: 'elsewhere', asset: { ...USDC, chain: 'MATIC' } });
    const here = aQuote({ quoteId: 'here', asset: USDC });
    const { cases } = await built([aStoredCase({ state: purchase('a', { asset: bare }), linked: null })], {
      reference: () => listed,
      captured: [elsewhere, here],
    });
    expect(cases[0]?.observation).toMatchObject({ snapshot: { state: { asset: USDC } } });
    expect(cases[0]?.quote?.quote.quoteId).toBe('here');
  });

  it('presume the chain of a native asset whose body names none: a quote for it on another chain is not excluded', async () => {
    const ether = { chain: '', symbol: 'ETH', decimals: 18, address: null };
    const elsewhere = aQuote({ quoteId: 'elsewhere', asset: { ...ether, chain: 'ARBITRUM' } });
    const { cases } = await built([aStoredCase({ state: purchase('a', { asset: ether }), linked: null })], {
      reference: () => someReference({ asset: someAssetTerms() }),
      captured: [elsewhere],
    });
    expect(cases[0]?.observation).toMatchObject({ snapshot: { state: { asset: { chain: 'ETH', symbol: 'ETH' } } } });
    expect(cases[0]?.quote?.quote.quoteId).toBe('elsewhere');
  });

  it('go to the record that they were asked for', async () => {
    const reference = someReference({ global: someGlobalTerms({ maxFeePercent: '2.9' }) });
    const { cases } = await built(
      [aStoredCase({ state: purchase('a') }), aStoredCase({ state: aSale(), linked: null })],
      {
        reference: ({ direction }) => (direction === 'onramp' ? reference : NO_REFERENCE),
      },
    );
    expect(cases.map((each) => each.reference)).toEqual([reference, { global: null, asset: null, methods: null }]);
  });

  it('are none where none had ever been captured', async () => {
    const run = aRun({ watermarks: { quote: 3, reference: 0, breakEvent: 7, evidence: null } });
    const { cases, asked } = await built([aStoredCase()], {}, run);
    expect(cases[0]?.reference).toEqual({ global: null, asset: null, methods: null });
    expect(asked.reference).toEqual([]);
  });
});
