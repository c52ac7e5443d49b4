/** Captures reference data as it is now: assets and limits per currency in use, methods, currencies and countries. */

import { createHash } from 'node:crypto';
import { isAboutOneRequest } from '../domain/errors.ts';
import type { Direction, Instant } from '../domain/record.ts';
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
  const failed: string[] = [];
  const capture = async (what: string, ask: () => Promise<ReferenceInput>): Promise<void> => {
    try {
      await store.reference.save(await ask());
      captured.push(what);
    } catch (error) {
      if (!isAboutOneRequest(error)) throw error;
      failed.push(`${what}: ${error.message}`);
    }
  };

  for (const direction of DIRECTIONS) {
    await capture(`methods ${direction}`, async () => {
      const { methods, body, sha256, at } = await client.methods({ direction, pace: 'paced' });
      return { type: 'methods', direction, methods, body, sha256, at };
    });
  }
  const offered = new Map<string, { onramp: boolean; offramp: boolean }>();
  await capture('currencies', async () => {
    const { currencies, body, sha256, at } = await client.currencies({ pace: 'paced' });
    for (const { code, onramp, offramp } of currencies) offered.set(code, { onramp, offramp });
    return { type: 'currencies', body, sha256, at };
  });
  await capture('countries', async () => {
    const { body, httpStatus } = await client.raw({ name: 'countries', api: 'v1', query: {} });
    if (httpStatus !== 200) throw new RequestRejectedError(httpStatus, null);
    return { type: 'countries', body, sha256: createHash('sha256').update(body).digest('hex'), at: now() };
  });
  const currencies = new Set([DEFAULT_CURRENCY, ...(await store.tracked.currenciesInUse())]);
  for (const currency of [...currencies].sort()) {
    for (const direction of DIRECTIONS) {
      // A currency that the Service does not list is requested all the same: the list may be wrong.
      if (offered.get(currency)?.[direction] === false) continue;
      await capture(`assets ${direction} ${currency}`, async () => {
        const { global, assets, body, sha256, at } = await client.assets({
          direction,
          currency,
          ...EVERY_STATE,
          pace: 'paced',
        });
        return { type: 'assets', direction, currency, global, assets, body, sha256, at };
      });
    }
  }
  return { captured, failed };
}
