/** Captures reference data as it is now: assets and limits per currency in use, methods, currencies and countries. */

import { createHash } from 'node:crypto';
import { isAboutOneRequest } from '../domain/errors.ts';
import type { Direction, Instant } from '../domain/record.ts';
import type { CurrencyTerms } from '../domain/reference.ts';
import type { ServiceClient } from '../ports/service.ts';
import { RequestRejectedError } from '../ports/service-errors.ts';
import type { ReferenceInput, ReferenceStore, TrackedStore } from '../ports/store/store.ts';

export interface Captured {
  captured: readonly string[];
  /** What could not be captured, with the reason; judging then uses the last capture before it. */
  failed: readonly string[];
}

/** The currency of limits where a request names none (spec §4.1). */
const DEFAULT_CURRENCY = 'EUR';
/** A record outlives the sale of its asset: terms of disabled and hidden ones are needed as well. */
const EVERY_STATE = { withDisabled: true, withHidden: true } as const;
const DIRECTIONS: readonly Direction[] = ['onramp', 'offramp'];

/** One failure does not stop the rest; errors that stop every request (TLS, an open circuit) do. */
export async function captureReferenceData(
  client: ServiceClient,
  store: { tracked: Pick<TrackedStore, 'currenciesInUse'>; reference: Pick<ReferenceStore, 'save'> },
  now: () => Instant,
): Promise<Captured> {
  const captured: string[] = [];
  const inputs: ReferenceInput[] = [];
  const failed: string[] = [];
  const capture = async (what: string, ask: () => Promise<ReferenceInput>): Promise<void> => {
    try {
      inputs.push(await ask());
      captured.push(what);
    } catch (error) {
      if (!isAboutOneRequest(error)) throw error;
      failed.push(`${what}: ${error.message}`);
    }
  };

  try {
    for (const direction of DIRECTIONS) {
      await capture(`methods ${direction}`, async () => {
        const { methods, body, sha256, at } = await client.methods({ direction, pace: 'paced' });
        return { type: 'methods', direction, methods, body, sha256, at };
      });
    }
    const offered = new Map<string, CurrencyTerms>();
    await capture('currencies', async () => {
      const { currencies, body, sha256, at } = await client.currencies({ pace: 'paced' });
      for (const each of currencies) offered.set(each.code, each);
      return { type: 'currencies', currencies, body, sha256, at };
    });
    await capture('countries', async () => {
      const { body, httpStatus } = await client.raw({ name: 'countries', api: 'v1', query: {} });
      if (httpStatus !== 200) throw new RequestRejectedError(httpStatus, null);
      return { type: 'countries', body, sha256: createHash('sha256').update(body).digest('hex'), at: now() };
    });
    for (const { direction, currency } of listingsOf([...offered.values()], await store.tracked.currenciesInUse())) {
      await capture(`assets ${direction} ${currency}`, async () => {
        const wanted = { direction, currency, ...EVERY_STATE, pace: 'paced' } as const;
        const { global, assets, leftOut = [], body, sha256, at } = await client.assets(wanted);
        const [bad] = leftOut;
        if (bad !== undefined) {
          const others = leftOut.length === 1 ? '' : `, and ${leftOut.length - 1} more`;
          failed.push(
            `an asset of ${direction} ${currency}: ${bad.field} is ${bad.found}, not ${bad.expected}${others}`,
          );
        }
        return { type: 'assets', direction, currency, global, assets, body, sha256, at };
      });
    }
  } finally {
    // In one pass, also where an error stopped the rest.
    if (inputs.length > 0) await store.reference.save(...inputs);
  }
  return { captured, failed };
}

/** Requests of a capture that do not depend on the currencies: methods of both directions, currencies, countries. */
export const OTHER_REFERENCE_REQUESTS = 4;

/**
 * The lists of assets to capture: of every currency that the Service offers, so that the first record in a new one can be judged,
 * and of every currency met so far, because its list of currencies may be wrong.
 */
export function listingsOf(
  offered: readonly CurrencyTerms[],
  inUse: readonly string[],
): readonly { direction: Direction; currency: string }[] {
  const terms = new Map(offered.map((each) => [each.code, each]));
  const currencies = new Set([DEFAULT_CURRENCY, ...inUse, ...terms.keys()]);
  return [...currencies].sort().flatMap((currency) =>
    DIRECTIONS.filter((direction) => terms.get(currency)?.[direction] !== false).map((direction) => ({
      direction,
      currency,
    })),
  );
}
