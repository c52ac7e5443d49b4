import { describe, expect, it } from 'vitest';
import { type CaptureEdges, captureOnCreated } from '../../src/capture/capture-on-created.ts';
import type { CapturedWanted } from '../../src/domain/match-quote.ts';
import type { Quote } from '../../src/domain/quote.ts';
import type { Instant } from '../../src/domain/record.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import type { QuoteAnswer, ServiceClient } from '../../src/ports/service.ts';
import { aPurchase, aQuote, aQuotedMethod, aSale, at, MINUTES, someTolerances, USDC } from '../support/builders.ts';
import { namedError } from '../support/named-error.ts';

/** The default purchase and sale were created at 10:00. */
const NOW = at('2026-11-01 10:02');
interface Created {
  state: RecordState;
  quoteId: string | null;
  /** Its place where left out. */
  key?: number;
}

const created = (state: RecordState, quoteId: string | null = null): Created => ({ state, quoteId });
const answerWith = (...methods: string[]): QuoteAnswer => ({
  request: '{"asked":1}',
  response: '{"answered":1}',
  quote: aQuote({ methods: methods.map((method) => aQuotedMethod({ method })) }),
});
const named = namedError;

interface World {
  /** What the Service says to each request, in order; an error is thrown. */
  answers?: readonly unknown[];
  now?: Instant;
  /** Quotes that the store has, by name. */
  stored?: readonly string[];
  /** Quotes that the application has stored. */
  captured?: readonly Quote[];
  creations?: CaptureEdges['creations'];
}

function world(
  deliveries: readonly Created[],
  { answers = [], now = NOW, stored = [], captured, creations }: World = {},
) {
  const seen = {
    asked: [] as Parameters<ServiceClient['quote']>[],
    added: [] as { quotes: readonly QuoteAnswer[]; at: Instant }[],
    read: [] as { types: readonly string[]; since: Instant; after: number }[],
    looked: [] as { wanted: readonly CapturedWanted[]; watermark: number }[],
  };
  const left = [...answers];
  const edges: CaptureEdges = {
    deliveries: {
      readSince: async (types, since, after) => {
        seen.read.push({ types, since, after });
        const all = deliveries.map((each, index) => ({ key: index + 1, ...each, deliveredAt: NOW }));
        return all.filter(({ key }) => key > after);
      },
    },
    quotes: {
      add: async (quotes, when) => {
        seen.added.push({ quotes, at: when });
        return ['added'];
      },
      has: async (quoteId) => stored.includes(quoteId),
      captured: async (wanted, watermark) => {
        seen.looked.push({ wanted, watermark });
        return captured === undefined ? [] : [captured];
      },
    },
    client: {
      quote: async (...call) => {
        seen.asked.push(call);
        const answer = left.shift() ?? answerWith('CARD_PAYMENT');
        if (answer instanceof Error || typeof answer === 'string') throw answer;
        return answer as QuoteAnswer;
      },
    },
    now: () => now,
    window: { before: 30 * MINUTES, after: 10 * MINUTES },
    tolerances: someTolerances(),
    creations: creations ?? new Map(),
  };
  return { edges, ...seen };
}

const NOTHING = { captured: 0, present: 0, refused: 0, expired: 0, waiting: 0 };

describe('a record that was just created without a quote', () => {
  it('gets one at once, under its own name', async () => {
    const answer = answerWith('SEPA_BANK_TRANSFER', 'CARD_PAYMENT');
    const { edges, asked, added } = world([created(aPurchase())], { answers: [answer] });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1 });
    expect(asked).toEqual([
      [
        { api: 'v3', direction: 'onramp', cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: '104.76' },
        { pace: 'burst', quoteId: 'created-purchase-sqs6a428mqjtzbv' },
      ],
    ]);
    expect(added).toEqual([{ quotes: [answer], at: NOW }]);
  });

  it('is asked for by the crypto amount where it is a sale', async () => {
    const sale = aSale({ recordId: '322', asset: USDC, cryptoUnits: 2_500_000n });
    const { edges, asked } = world([created(sale)]);
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1 });
    expect(asked).toEqual([
      [
        {
          api: 'v3',
          direction: 'offramp',
          cryptoAssetSymbol: 'ETH_USDC',
          fiatCurrency: 'EUR',
          cryptoAmount: '2500000',
        },
        { pace: 'burst', quoteId: 'created-sale-322' },
      ],
    ]);
  });

  it('is looked for among the creations of the last ten minutes, under any event name', async () => {
    const { edges, read } = world([]);
    expect(await captureOnCreated(edges)).toEqual(NOTHING);
    expect(read).toEqual([
      { types: ['CREATED', 'PURCHASE_CREATED', 'OFFRAMP_SALE_CREATED', ''], since: at('2026-11-01 09:52'), after: 0 },
    ]);
  });

  it('is asked for once, however often it was delivered', async () => {
    const { edges, asked } = world([created(aPurchase()), created(aPurchase())]);
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1 });
    expect(asked).toHaveLength(1);
  });
});

describe('the method of a purchase that v3 does not list', () => {
  const pix = aPurchase({ paymentMethod: 'PIX' });

  it('is asked for by name in v1, and that answer is kept', async () => {
    const old = answerWith('PIX');
    const { edges, asked, added } = world([created(pix)], { answers: [answerWith('CARD_PAYMENT'), old] });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1 });
    expect(asked[1]).toEqual([
      {
        api: 'v1',
        direction: 'onramp',
        cryptoAssetSymbol: 'ETH_ETH',
        fiatCurrency: 'EUR',
        fiatValue: '104.76',
        paymentMethodType: 'PIX',
      },
      { pace: 'burst', quoteId: 'created-purchase-sqs6a428mqjtzbv' },
    ]);
    expect(added[0]?.quotes).toEqual([old]);
  });

  it.each([
    ['a purchase that names no method', aPurchase({ paymentMethod: null })],
    ['a sale, as v1 has no payout methods', aSale({ paymentMethod: 'PIX' })],
  ])('is not asked for again for %s', async (_, state) => {
    const { edges, asked } = world([created(state)]);
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1 });
    expect(asked).toHaveLength(1);
  });

  it('leaves the record without a quote where v1 declines as well', async () => {
    const { edges, added } = world([created(pix)], {
      answers: [answerWith('CARD_PAYMENT'), named('RequestRejectedError')],
    });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, refused: 1 });
    expect(added).toEqual([]);
  });
});

describe('no quote is requested', () => {
  it('where the application named a quote', async () => {
    const { edges, asked } = world([created(aPurchase(), 'q-17')]);
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, present: 1 });
    expect(asked).toEqual([]);
  });

  it('where another process was quicker', async () => {
    const { edges, asked } = world([created(aPurchase())], { stored: ['created-purchase-sqs6a428mqjtzbv'] });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, present: 1 });
    expect(asked).toEqual([]);
  });

  it('where the application captured one that fits', async () => {
    const { edges, asked, looked } = world([created(aPurchase())], { captured: [aQuote()] });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, present: 1 });
    expect(asked).toEqual([]);
    expect(looked).toEqual([
      {
        wanted: [
          {
            direction: 'onramp',
            asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
            fiatCurrency: 'EUR',
            method: 'CARD_PAYMENT',
            from: at('2026-11-01 09:30'),
            to: at('2026-11-01 10:10'),
            amounts: { fiat: expect.any(Array), units: expect.any(Array) },
          },
        ],
        watermark: Number.MAX_SAFE_INTEGER,
      },
    ]);
  });

  it.each([
    ['ten minutes after the creation', at('2026-11-01 10:10'), { ...NOTHING, captured: 1 }],
    ['later', at('2026-11-01 10:10') + 1, { ...NOTHING, expired: 1 }],
  ])('later than ten minutes after the creation: %s', async (_, now, counts) => {
    const { edges } = world([created(aPurchase())], { now });
    expect(await captureOnCreated(edges)).toEqual(counts);
  });

  it('where the creation time is not known', async () => {
    const { edges, asked } = world([created(aPurchase({ createdAt: null }))]);
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, expired: 1 });
    expect(asked).toEqual([]);
  });

  it('a second time, where the Service declined', async () => {
    const creations: CaptureEdges['creations'] = new Map();
    const first = world([created(aPurchase())], { answers: [named('RequestRejectedError')], creations });
    expect(await captureOnCreated(first.edges)).toEqual({ ...NOTHING, refused: 1 });
    expect([...creations].map(([id, { open }]) => [id, open])).toEqual([
      ['created-purchase-sqs6a428mqjtzbv', 'refused'],
    ]);
    const second = world([created(aPurchase())], { creations });
    expect(await captureOnCreated(second.edges)).toEqual({ ...NOTHING, refused: 1 });
    expect(second.asked).toEqual([]);
  });

  it('a second time, where it has one: each pass of a burst would search for all that came before', async () => {
    const creations: CaptureEdges['creations'] = new Map();
    const two = ['a1', 'a2'].map((recordId) => created(aPurchase({ recordId })));
    const first = world(two, { captured: [aQuote()], creations });
    expect(await captureOnCreated(first.edges)).toEqual({ ...NOTHING, present: 2 });
    expect(first.looked).toHaveLength(2);
    const second = world([...two, created(aPurchase({ recordId: 'a3' }))], { captured: [aQuote()], creations });
    expect(await captureOnCreated(second.edges)).toEqual({ ...NOTHING, present: 3 });
    expect(second.looked).toHaveLength(1);
    // What is too old to be looked at is not kept in mind.
    expect(await captureOnCreated(world([], { creations, now: NOW + 11 * MINUTES }).edges)).toEqual(NOTHING);
    expect(creations.size).toBe(0);
  });

  it('once it was read, but for those whose keys may still come late', async () => {
    const creations: CaptureEdges['creations'] = new Map();
    const keyed = (recordId: string, key: number) => ({ ...created(aPurchase({ recordId })), key });
    const newest = keyed('a1', 5_000);
    await captureOnCreated(world([newest], { creations }).edges);
    // Another process saved it with an earlier key, and its transaction ended later.
    const second = world([keyed('a2', 4_990), newest], { creations });
    expect(await captureOnCreated(second.edges)).toEqual({ ...NOTHING, present: 1, captured: 1 });
    expect(second.read.map(({ after }) => after)).toEqual([4_000]);
  });

  it('without a turn for others: the receiver of this process answers between two records', async () => {
    let turns = 0;
    const turning = setInterval(() => turns++, 0);
    const many = Array.from({ length: 50 }, (_, i) => created(aPurchase({ recordId: `a${i}` })));
    const { edges } = world(many, { captured: [aQuote()] });
    // A store that answers in this turn, after two milliseconds of work.
    const has = async () => {
      for (const until = performance.now() + 2; performance.now() < until; );
      return false;
    };
    await captureOnCreated({ ...edges, quotes: { ...edges.quotes, has } });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(25);
  });
});

describe('a captured quote for another amount', () => {
  it('is none for this record', async () => {
    const other = aQuote({ methods: [aQuotedMethod({ fiatValue: '50', cryptoUnits: 20_000_000_000_000_000n })] });
    const { edges } = world([created(aPurchase())], { captured: [other] });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1 });
  });
});

describe('where the Service may not be asked at present', () => {
  const three = ['a1', 'a2', 'a3'].map((recordId) => created(aPurchase({ recordId })));

  it.each(['CircuitOpenError', 'RequestBudgetError', 'AbortError'])(
    'the rest waits, and may be had by another attempt: %s',
    async (name) => {
      const creations: CaptureEdges['creations'] = new Map();
      const { edges, asked, added } = world(three, { answers: [answerWith('CARD_PAYMENT'), named(name)], creations });
      expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, captured: 1, waiting: 2 });
      expect(asked).toHaveLength(2);
      expect(added).toHaveLength(1);
      expect([...creations.values()].filter(({ open }) => typeof open === 'string')).toMatchObject([
        { key: 1, open: 'present' },
      ]);
      // It is not read again, and asked for all the same.
      const later = world(three, { creations });
      expect(await captureOnCreated(later.edges)).toEqual({ ...NOTHING, captured: 2, present: 1 });
    },
  );

  it('what has expired or was refused is still distinguished', async () => {
    const old = created(aPurchase({ recordId: 'a9', createdAt: at('2026-11-01 09:00') }));
    const { edges } = world([...three, old], {
      answers: [named('CircuitOpenError')],
      creations: new Map([['created-purchase-a2', { key: 0, deliveredAt: NOW, open: 'refused' as const }]]),
    });
    expect(await captureOnCreated(edges)).toEqual({ ...NOTHING, waiting: 2, refused: 1, expired: 1 });
  });
});

describe('an error that concerns every request', () => {
  it.each([named('TlsError'), named('HostApiKeyMissingError'), 'no error at all'])(
    'stops the job: %s',
    async (failure) => {
      const { edges } = world([created(aPurchase())], { answers: [failure] });
      await expect(captureOnCreated(edges)).rejects.toBe(failure);
    },
  );
});
