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
import { quoteRequestV1, quoteRequestV3 } from '../quote-request.ts';
import { isObject, requireHostKey, tradedCurrency } from './query.ts';
import type { Routes, Site } from './site.ts';

export const quoteRoutes: Routes = (app, site) => {
  app.post('/host-api/v3/onramp/quote/all', (request) => answerV3(request, site, 'onramp'));
  app.post('/host-api/v3/offramp/quote/all', (request) => answerV3(request, site, 'offramp'));
  app.post('/host-api/quote', (request) => answerV1(request, site));
};

function answerV3(request: FastifyRequest, site: Site, direction: Direction): Body {
  requireHostKey(request, site.hostApiKeys);
  const wanted = readQuoteRequest(request.body, quoteRequestV3, direction);
  const methods = supportedMethods(direction, wanted.currency, wanted.country);
  const at = site.clock.now();
  const offers = priced({ ...wanted, direction, methods, at }, site);
  return quoteV3({ ...wanted, direction, at, identifierName: site.identifierName }, offers, site.market);
}

function answerV1(request: FastifyRequest, site: Site): Body {
  requireHostKey(request, site.hostApiKeys);
  const wanted = readQuoteRequest(request.body, quoteRequestV1, 'onramp');
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

type QuoteRequestSchema = typeof quoteRequestV1 | typeof quoteRequestV3;

interface QuoteRequest {
  asset: CatalogueAsset;
  /** As the request names it. */
  name: string;
  currency: string;
  country: string | undefined;
  asked: Asked;
}

/** @throws ServiceError 400 with one message per problem. */
function readQuoteRequest(body: unknown, schema: QuoteRequestSchema, direction: Direction): QuoteRequest {
  const read = schema.safeParse(body);
  if (!read.success) throw validationError(...read.error.issues.map(({ message }) => message));
  const { cryptoAssetSymbol: name, fiatCurrency, userCountryCode: country, cryptoAmount, fiatValue } = read.data;
  const { code } = tradedCurrency(fiatCurrency, direction);
  const asset = findAsset(name);
  if (asset === undefined || !asset.enabled || (direction === 'offramp' && !asset.offramp)) {
    throw applicationError(400, ERROR_CODES.assetNotSupported, { cryptoAssetSymbol: name });
  }
  const asked = typeof fiatValue === 'number' ? { fiat: fiatValue } : { units: BigInt(String(cryptoAmount)) };
  return { asset, name, currency: code, country, asked };
}
