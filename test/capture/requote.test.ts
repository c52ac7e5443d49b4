import { describe, expect, it } from 'vitest';
import { requote } from '../../src/capture/requote.ts';
import { requoteId } from '../../src/domain/quote.ts';
import type { Instant } from '../../src/domain/record.ts';
import type { Run } from '../../src/domain/run.ts';
import type { QuoteAnswer, ServiceClient } from '../../src/ports/service.ts';
import { aPurchase, aQuote, aSale, at, USDC } from '../support/builders.ts';
import { namedError } from '../support/named-error.ts';

const RUN = { runId: 'audit-2026-11-20-r1' } as Run;
const ANSWER: QuoteAnswer = { request: '{"asked":1}', response: '{"answered":1}', quote: aQuote() };

/** A Service that answers with the given quote, or throws the given error. */
function edgesFor(failure?: unknown) {
  const asked: Parameters<ServiceClient['quote']>[] = [];
  const added: { quotes: readonly QuoteAnswer[]; at: Instant }[] = [];
  return {
    asked,
    added,
    client: {
      quote: async (...call: Parameters<ServiceClient['quote']>) => {
        asked.push(call);
        if (failure !== undefined) throw failure;
        return ANSWER;
      },
    },
    quotes: {
      add: async (quotes: readonly QuoteAnswer[], when: Instant) => {
        added.push({ quotes, at: when });
        return ['added' as const];
      },
    },
    now: () => at('2026-11-20 04:15'),
  };
}

describe('a fresh quote for an audit', () => {
  it('is for what the user of a purchase paid, paced with the run, under the name of record and run', async () => {
    const edges = edgesFor();
    await requote(RUN, aPurchase({ fiatValue: '104.76' }), edges);
    expect(edges.asked).toEqual([
      [
        { api: 'v3', direction: 'onramp', cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: '104.76' },
        { pace: 'paced', ofAnyAmount: true, quoteId: 'requote-audit-2026-11-20-r1-purchase-sqs6a428mqjtzbv' },
      ],
    ]);
    expect(edges.added).toEqual([{ quotes: [ANSWER], at: at('2026-11-20 04:15') }]);
  });

  it('is for the crypto that the user of a sale gave', async () => {
    const edges = edgesFor();
    await requote(RUN, aSale({ asset: USDC, cryptoUnits: 2_500_000n, fiatCurrency: 'GBP' }), edges);
    expect(edges.asked[0]?.[0]).toEqual({
      api: 'v3',
      direction: 'offramp',
      cryptoAssetSymbol: 'ETH_USDC',
      fiatCurrency: 'GBP',
      cryptoAmount: '2500000',
    });
  });

  it('is not had where the Service declines, and the record stays as it was', async () => {
    const edges = edgesFor(namedError('RequestRejectedError'));
    await requote(RUN, aPurchase(), edges);
    expect(edges.added).toEqual([]);
  });

  it.each([
    Object.assign(new Error('too late'), { name: 'DeadlineError' }),
    Object.assign(new Error('stopped'), { name: 'AbortError' }),
    { name: 'RequestRejectedError', message: 'no error at all' },
  ])('stops the run for anything else: $name, $message', async (failure) => {
    await expect(requote(RUN, aPurchase(), edgesFor(failure))).rejects.toBe(failure);
  });

  it('has one name per run, kind and record', () => {
    expect(requoteId('audit-2026-11-20-r2', 'sale', '322')).toBe('requote-audit-2026-11-20-r2-sale-322');
  });
});
