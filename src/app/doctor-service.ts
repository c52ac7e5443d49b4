/**
 * What `doctor` asks the Service: its currencies, one record and one quote, so that a wrong address, a wrong integration key and
 * a wrong `service.identifierName` are reported before a night is spent on them.
 */

import { Decimal } from '../domain/decimal.ts';
import { TieoutError } from '../domain/errors.ts';
import { UNREAD } from '../domain/reference.ts';
import type { FetchResult, ServiceClient } from '../ports/service.ts';
import { RequestRejectedError } from '../ports/service-errors.ts';
import { counted } from '../text/counts.ts';
import type { App } from './app.ts';
import { openClient } from './open-client.ts';

export interface Check {
  what: string;
  state: 'ok' | 'note' | 'wrong';
  says: string;
  /** What is wrong is a setting: exit code 2. */
  isSetting?: true;
}

const SERVICE = 'the Service';
const RECORD = 'one record';
const QUOTE = 'one quote';

/** Up to four requests. */
export async function serviceChecks(app: App): Promise<readonly Check[]> {
  if (app.settings.service.url === null)
    return [misset(SERVICE, 'no address: set service.url or TIEOUT_SERVICE_URL to the base that ends in /api')];
  const client = openClient(app, app.limiter);
  try {
    const { currencies } = await client.currencies({ pace: 'burst' });
    const says = `answers at ${app.settings.service.url} with ${counted(currencies.length, 'currency', 'currencies')}`;
    const currency =
      currencies.find(({ code, onramp }) => onramp && code === 'EUR') ?? currencies.find(({ onramp }) => onramp);
    return [
      ok(SERVICE, says),
      await checked(RECORD, () => recordCheck(app, client)),
      await checked(QUOTE, () => quoteCheck(app, client, currency?.code ?? 'EUR')),
    ];
  } catch (error) {
    return [wrong(SERVICE, error instanceof Error ? error.message : String(error))];
  } finally {
    await client.close();
  }
}

export const ok = (what: string, says: string): Check => ({ what, state: 'ok', says });
export const note = (what: string, says: string): Check => ({ what, state: 'note', says });
export const wrong = (what: string, says: string): Check => ({ what, state: 'wrong', says });
export const misset = (what: string, says: string): Check => ({ ...wrong(what, says), isSetting: true });

async function checked(what: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error;
    return wrong(what, error.message);
  }
}

/** Among so many, a record that was verified before is looked for. */
const LOOKED_AT = 100;

/**
 * The first in report order, a purchase where there is one, as only its body has the maker's name. One that was verified before is
 * preferred: a record that never could be read says nothing about the settings.
 */
async function recordCheck({ store }: App, client: ServiceClient): Promise<Check> {
  const all = await store.tracked.latest({ kind: null, createdFrom: null, createdTo: null }, null, LOOKED_AT);
  const first = all.find(({ lastVerifiedAt }) => lastVerifiedAt !== null) ?? all[0];
  const token = first === undefined ? null : await store.tracked.token(first.kind, first.recordId);
  if (first === undefined || token === null)
    return note(RECORD, 'nothing is tracked yet: the first run reads the sources; or tieout import ids.csv');
  const { kind, recordId: id } = first;
  const result = await client.fetchRecord({ kind, id, token }, { pace: 'burst' });
  const problem = problemOf(result);
  if (problem === null) return ok(RECORD, `${kind} ${id} can be read`);
  return wrong(RECORD, `${kind} ${id} ${problem}`);
}

/** Why a record could not be read, with its remedy; null for one that was. */
export function problemOf(result: FetchResult): string | null {
  switch (result.outcome) {
    case 'verified':
      return null;
    case 'quarantined':
      if (result.otherName !== undefined)
        return `has base${result.otherName}Fee: set service.identifierName to ${result.otherName}`;
      return `cannot be judged: ${result.detail}`;
    case 'unreachable':
      if (result.reason === 'ACCESS_DENIED')
        return `is refused (HTTP ${result.httpStatus}): its view token is wrong (tieout tracked set-token), or service.url is another environment's`;
      if (result.reason === 'RECORD_MISSING')
        return `is not known there (HTTP ${result.httpStatus}): the id is wrong, or service.url is another environment's`;
      return `was not answered: ${result.reason.toLowerCase().replaceAll('_', ' ')}${result.httpStatus === null ? '' : `, HTTP ${result.httpStatus}`}`;
  }
}

const SMALL = Decimal.parse('100');

async function quoteCheck({ settings }: App, client: ServiceClient, currency: string): Promise<Check> {
  if (settings.service.hostApiKey === null)
    return note(QUOTE, 'no integration key (TIEOUT_HOST_API_KEY): quotes cannot be asked for, only imported');
  const { assets, global } = await client.assets({ direction: 'onramp', currency, pace: 'burst' });
  const asset = assets.find(({ enabled, decimals }) => enabled && decimals !== UNREAD);
  if (asset === undefined) return note(QUOTE, `no asset is sold for ${currency}`);
  const least = asset.minPurchaseAmount ?? global.minPurchaseAmount ?? SMALL;
  const symbol = `${asset.chain}_${asset.symbol}`;
  const fiatValue = (least.compare(SMALL) > 0 ? least : SMALL).toString();
  try {
    const { quote } = await client.quote(
      { api: 'v3', direction: 'onramp', cryptoAssetSymbol: symbol, fiatCurrency: currency, fiatValue },
      { pace: 'burst', quoteId: 'doctor' },
    );
    const methods = `${counted(quote.methods.length, 'payment method')}; it is not stored`;
    return ok(QUOTE, `${fiatValue} ${currency} for ${symbol}, ${methods}`);
  } catch (error) {
    if (!(error instanceof RequestRejectedError)) throw error;
    const isKey = error.httpStatus === 401 || error.httpStatus === 403;
    return wrong(QUOTE, isKey ? `${error.message}; check the integration key (TIEOUT_HOST_API_KEY)` : error.message);
  }
}
