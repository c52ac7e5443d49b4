/** Fresh quotes for an audit: the same asset, currency, method and amount as the record's, at today's prices. */

import { assetIdentifier } from '../domain/asset.ts';
import { requoteId } from '../domain/quote.ts';
import { directionOf, type Instant } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { QuoteRequest, ServiceClient } from '../ports/service.ts';
import { RequestRejectedError } from '../ports/service-errors.ts';
import type { QuoteStore } from '../ports/store/store.ts';

/** For the record's asset, currency and amount: the fiat value of a purchase, the crypto of a sale. */
export function quoteRequest(state: RecordState): QuoteRequest {
  const direction = directionOf(state.kind);
  return {
    api: 'v3',
    direction,
    cryptoAssetSymbol: assetIdentifier(state.asset),
    fiatCurrency: state.fiatCurrency,
    ...(direction === 'onramp'
      ? { fiatValue: state.fiatValue.toString() }
      : { cryptoAmount: state.cryptoUnits.toString() }),
  };
}

/** A refusal (an asset that is no longer sold, an amount too small by now) leaves the record without a quote, as it was. */
export async function requote(
  run: Run,
  state: RecordState,
  edges: { client: Pick<ServiceClient, 'quote'>; quotes: Pick<QuoteStore, 'add'>; now: () => Instant },
): Promise<void> {
  try {
    const quoteId = requoteId(run.runId, state.kind, state.recordId);
    const answer = await edges.client.quote(quoteRequest(state), { pace: 'paced', quoteId, ofAnyAmount: true });
    await edges.quotes.add([answer], edges.now());
  } catch (error) {
    if (!(error instanceof RequestRejectedError)) throw error;
  }
}
