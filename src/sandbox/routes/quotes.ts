/** The three quote endpoints (spec §2.6, §2.7, §2.10, §4). */
import type { FastifyRequest } from 'fastify';
import type { Body } from '../asset-bodies.ts';
import { findAsset } from '../assets-catalogue.ts';
import type { CatalogueAsset } from '../catalogue-asset.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import { type Direction, type Method, methodsOf, supportedMethods } from '../methods.ts';
import { cheapest, type Offer, offersFor } from '../offers.ts';
import type { Asked } from '../pricing.ts';
import { quoteV1, quoteV3 } from '../quote-bodies.ts';
import { isObject, requireHostKey, tradedCurrency } from './query.ts';
import type { Routes, Site } from './site.ts';

export const quoteRoutes: Routes = (app, site) => {
  app.post('/host-api/v3/onramp/quote/all', (request) => answerV3(request, site, 'onramp'));
  app.post('/host-api/v3/offramp/quote/all', (request) => answerV3(request, site, 'offramp'));
  app.post('/host-api/quote', (request) => answerV1(request, site));
};

function answerV3(request: FastifyRequest, site: Site, direction: Direction): Body {
  requireHostKey(request, site.hostApiKeys);
  const wanted = readQuoteRequest(request.body, direction);
  const methods = supportedMethods(direction, wanted.currency, wanted.country);
  const at = site.clock.now();
  const offers = priced({ ...wanted, direction, methods, at }, site);
  return quoteV3({ ...wanted, direction, at, identifierName: site.identifierName }, offers, site.market);
}

function answerV1(request: FastifyRequest, site: Site): Body {
  requireHostKey(request, site.hostApiKeys);
  const wanted = readQuoteRequest(request.body, 'onramp');
  const at = site.clock.now();
  const methods = requestedMethods(request.body, wanted.currency);
  const offer = cheapest(priced({ ...wanted, direction: 'onramp', methods, at }, site));
  if (offer === undefined) throw applicationError(400, ERROR_CODES.valueIsZero);
  return quoteV1({ ...wanted, direction: 'onramp', at, identifierName: site.identifierName }, offer, wanted.name);
}

/** @throws ServiceError 400 where the fees leave nothing with any method. */
function priced(request: Parameters<typeof offersFor>[0], { market }: Site): readonly Offer[] {
  const offers = offersFor(request, market);
  if (offers.length === 0 && request.methods.length > 0) throw applicationError(400, ERROR_CODES.valueIsZero);
  return offers;
}

/** The named method, or all that support the currency. @throws ServiceError 400, documented in spec §7.2. */
function requestedMethods(body: unknown, currency: string): readonly Method[] {
  const name = isObject(body) ? body.paymentMethodType : undefined;
  const supported = supportedMethods('onramp', currency);
  if (name === undefined) return supported;
  if (typeof name !== 'string' || !methodsOf('onramp').some((each) => each.name === name)) {
    throw validationError('paymentMethodType must be a valid enum value');
  }
  const methods = supported.filter((each) => each.name === name);
  if (methods.length > 0) return methods;
  throw applicationError(400, ERROR_CODES.unsupportedMethod, { currency, paymentMethodType: name });
}

interface QuoteRequest {
  asset: CatalogueAsset;
  /** As the request names it. */
  name: string;
  currency: string;
  country: string | undefined;
  asked: Asked;
}

/** @throws ServiceError 400 with one message per problem. */
function readQuoteRequest(body: unknown, direction: Direction): QuoteRequest {
  if (!isObject(body)) throw validationError('body must be an object');
  const { cryptoAssetSymbol: name, fiatCurrency, userCountryCode: country } = body;
  const problems: string[] = [];
  if (typeof name !== 'string') problems.push('cryptoAssetSymbol must be a string');
  if (typeof fiatCurrency !== 'string') problems.push('fiatCurrency must be a string');
  if (country !== undefined && typeof country !== 'string') problems.push('userCountryCode must be a string');
  const asked = readAmount(body, problems);
  if (typeof name !== 'string' || typeof fiatCurrency !== 'string' || asked === null || problems.length > 0) {
    throw validationError(...problems);
  }
  const { code } = tradedCurrency(fiatCurrency, direction);
  const asset = findAsset(name);
  if (asset === undefined || !asset.enabled || (direction === 'offramp' && !asset.offramp)) {
    throw applicationError(400, ERROR_CODES.assetNotSupported, { cryptoAssetSymbol: name });
  }
  return { asset, name, currency: code, country: typeof country === 'string' ? country : undefined, asked };
}

const UNITS = /^\d{1,40}$/;

/** Exactly one of the two amounts (spec §4.1 rule 1). */
function readAmount({ cryptoAmount, fiatValue }: Body, problems: string[]): Asked | null {
  if ((cryptoAmount === undefined) === (fiatValue === undefined)) {
    problems.push('exactly one of cryptoAmount and fiatValue must be given');
    return null;
  }
  if (cryptoAmount !== undefined) {
    if (typeof cryptoAmount === 'string' && UNITS.test(cryptoAmount)) return { units: BigInt(cryptoAmount) };
    problems.push('cryptoAmount must be a number string');
    return null;
  }
  if (typeof fiatValue === 'number' && fiatValue >= 0) return { fiat: fiatValue };
  problems.push('fiatValue must be a positive number');
  return null;
}
