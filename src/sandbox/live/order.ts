/** An order for a live record: read, compared with the limits, and priced by the same engine as every quote. */
import { type CatalogueAsset, tradedAsset } from '../assets-catalogue.ts';
import type { LiveOutcome, LiveRequest, SandboxInstant } from '../contract.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import { assetLimits, GLOBAL_EUR, inCurrency, type Market, type MarketMinute, MINUTE } from '../market.ts';
import { type Direction, type Method, methodsOf, supportedMethods } from '../payment-tables.ts';
import { type Figures, offersFor, type RequestedAmount } from '../pricing.ts';
import { OUTCOMES } from '../schemas/control.ts';
import { amountProblem } from '../schemas/index.ts';

export interface Order {
  request: LiveRequest;
  asset: CatalogueAsset;
  method: Method;
  outcome: LiveOutcome;
  figures: Figures;
}

/**
 * @throws ServiceError 400 for an order that the Service would refuse, 409 where the price has changed since it was
 * shown
 */
export function readOrder(request: LiveRequest, market: Market, now: SandboxInstant): Order {
  const direction = request.kind === 'purchase' ? 'onramp' : 'offramp';
  const asset = tradedAsset(request.cryptoAssetSymbol, direction);
  const method = methodOf(request, direction);
  checkPriceIsFresh(request.quotedAt, now);
  const { fiatCurrency: currency } = request;
  const [offer] = offersFor(
    { direction, asset, currency, asked: requestedAmountOf(request), methods: [method], at: now },
    market,
  );
  if (offer === undefined) throw applicationError(400, ERROR_CODES.valueIsZero);
  const beyond = limitProblem({ asset, currency, figures: offer.figures, moment: market.at(now) });
  if (beyond !== null) throw applicationError(400, beyond.code, { currency, limit: beyond.limit });
  return { request, asset, method, outcome: outcomeOf(request), figures: offer.figures };
}

function methodOf({ method: name, fiatCurrency, userCountryCode }: LiveRequest, direction: Direction): Method {
  const found = supportedMethods(direction, fiatCurrency, userCountryCode).find((each) => each.name === name);
  if (found !== undefined) return found;
  if (!methodsOf(direction).some((each) => each.name === name))
    throw validationError('method must be a valid enum value');
  throw applicationError(400, ERROR_CODES.unsupportedMethod, { currency: fiatCurrency, paymentMethodType: name });
}

function requestedAmountOf(request: LiveRequest): RequestedAmount {
  const problem = amountProblem(request);
  if (problem !== null) throw validationError(problem);
  const { fiatValue, cryptoAmount } = request;
  return cryptoAmount === undefined ? { fiat: fiatValue ?? 0 } : { units: BigInt(cryptoAmount) };
}

/** Prices change each minute; an order at the price of an earlier minute is refused. */
function checkPriceIsFresh(quotedAt: string | undefined, now: SandboxInstant): void {
  if (quotedAt === undefined) return;
  const shown = Date.parse(quotedAt);
  if (Number.isNaN(shown)) throw validationError('quotedAt must be an ISO 8601 instant');
  if (Math.floor(shown / MINUTE) !== Math.floor(now / MINUTE)) throw applicationError(409, 'SANDBOX.QUOTE_EXPIRED');
}

function outcomeOf({ kind, outcome = 'released' }: LiveRequest): LiveOutcome {
  const allowed: readonly LiveOutcome[] = OUTCOMES[kind];
  if (!allowed.includes(outcome)) throw validationError(`outcome must be one of ${allowed.join(', ')}`);
  return outcome;
}

export interface LimitProblem {
  code: 'SANDBOX.AMOUNT_TOO_LOW' | 'SANDBOX.AMOUNT_TOO_HIGH' | 'SANDBOX.CRYPTO_AMOUNT_TOO_LOW';
  /** In the fiat currency, or in units for the last. */
  limit: number | string;
}

interface Measured {
  asset: CatalogueAsset;
  currency: string;
  figures: Figures;
  moment: MarketMinute;
}

/** Null for an amount that may be traded. */
export function limitProblem({ asset, currency, figures, moment }: Measured): LimitProblem | null {
  const own = assetLimits(asset, currency, moment);
  const { minPurchaseAmount, maxPurchaseAmount } = GLOBAL_EUR;
  const least = own.minPurchaseAmount === -1 ? inCurrency(minPurchaseAmount, currency, moment) : own.minPurchaseAmount;
  const most = own.maxPurchaseAmount === -1 ? inCurrency(maxPurchaseAmount, currency, moment) : own.maxPurchaseAmount;
  const leastUnits = own.minPurchaseCryptoAmount === '-1' ? null : BigInt(own.minPurchaseCryptoAmount);
  if (figures.fiatValue < least) return { code: 'SANDBOX.AMOUNT_TOO_LOW', limit: least };
  if (figures.fiatValue > most) return { code: 'SANDBOX.AMOUNT_TOO_HIGH', limit: most };
  if (leastUnits !== null && figures.units < leastUnits)
    return { code: 'SANDBOX.CRYPTO_AMOUNT_TOO_LOW', limit: leastUnits.toString() };
  return null;
}
