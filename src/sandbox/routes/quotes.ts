/** The three quote endpoints (spec §2.6, §2.7, §2.10, §4). */

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Answer } from '../../openapi/shared-document.ts';
import { tradedAsset } from '../assets-catalogue.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import { type Direction, type Method, methodsOf, supportedMethods, tradedCurrency } from '../payment-tables.ts';
import { cheapest, type Offer, type OfferRequest, offersFor } from '../pricing.ts';
import { quoteV1, quoteV3 } from '../quote-bodies.ts';
import { answer, KEY_UNKNOWN, limited, reading, refusedBody } from '../schemas/answers.ts';
import { examplesFor } from '../schemas/examples.ts';
import type { ServiceSchemas } from '../schemas/index.ts';
import { about, type Routes, type Site, stringOf } from './site.ts';

const QUERY = z.object({ hostApiKey: z.string().describe('The integration key (spec §5.1).') });

const REFUSALS = {
  [ERROR_CODES.assetNotSupported]: { cryptoAssetSymbol: 'XXX_XXX' },
  [ERROR_CODES.currencyNotSupported]: { currencyCode: 'XXX' },
  [ERROR_CODES.valueIsZero]: {},
};

const BUYING = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };
const SELLING = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', cryptoAmount: '100000000000000000' };
const ONLY_SUPPORTED = 'Only methods that support `fiatCurrency` are in the answer (spec §4.1).';

type RequestV3 = z.infer<ServiceSchemas['QuoteRequestBody']>;
type RequestV1 = z.infer<ServiceSchemas['QuoteRequestBodyV1']>;

export const quoteRoutes: Routes = (app, site) => {
  const { schemas, identifierName, hostApiKeys, clock } = site;
  const examples = examplesFor(`base${identifierName}Fee`);

  /** Before the body is validated: the quote endpoints need a key (spec §5.1). */
  const preValidation = async (request: FastifyRequest) => {
    const key = stringOf(request.query, 'hostApiKey');
    if (key === undefined) throw validationError('hostApiKey must be a string');
    if (!hostApiKeys.has(key)) throw applicationError(403, ERROR_CODES.hostKeyUnknown);
  };

  const answers = (of: Answer, refused: Answer) => limited(reading({ 200: of, 400: refused, 403: KEY_UNKNOWN }));

  const quotesV3 = (
    direction: Direction,
    [operationId, summary]: readonly [string, string],
    bodyExamples: Readonly<Record<string, unknown>>,
    response: ReturnType<typeof answers>,
  ) =>
    app.post(
      `/host-api/v3/${direction}/quote/all`,
      {
        preValidation,
        ...about('v3', operationId, summary, {
          description: ONLY_SUPPORTED,
          querystring: QUERY,
          body: schemas.QuoteRequestBody,
          bodyExamples,
          response,
        }),
      },
      ({ body }) => answerV3(body, site, direction),
    );
  quotesV3(
    'onramp',
    ['quoteOnrampV3', 'What a purchase costs, by every payment method at once'],
    { 'pay 100 EUR': BUYING },
    answers(
      answer('`asset`, and one key per payment method.', schemas.QuoteResult, examples.onrampQuote),
      refusedBody('exactly one of cryptoAmount and fiatValue must be given', REFUSALS),
    ),
  );
  quotesV3(
    'offramp',
    ['quoteOfframpV3', 'What a sale brings, by every payout method at once'],
    { 'sell 0.1 ETH': SELLING },
    answers(
      answer('`asset`, and one key per payout method.', schemas.OfframpQuoteResult, examples.offrampQuote),
      refusedBody('cryptoAmount must be a number string', REFUSALS),
    ),
  );

  app.post(
    '/host-api/quote',
    {
      preValidation,
      ...about('v1', 'quoteV1', 'What a purchase costs, by one payment method', {
        description:
          'Spec §2.10. Without `paymentMethodType`, by the one with the lowest fee that supports the currency.',
        querystring: QUERY,
        body: schemas.QuoteRequestBodyV1,
        bodyExamples: { 'pay 100 EUR by card': { ...BUYING, paymentMethodType: 'CARD_PAYMENT' } },
        response: answers(
          answer('The quote.', schemas.QuoteResultV1, examples.quoteV1),
          refusedBody('paymentMethodType must be a valid enum value', {
            ...REFUSALS,
            [ERROR_CODES.unsupportedMethod]: { currency: 'USD', paymentMethodType: 'PIX' },
          }),
        ),
      }),
    },
    ({ body }) => {
      const methods = requestedMethods(body);
      const wanted = readQuoteRequest(body, 'onramp');
      const at = clock.now();
      const offer = cheapest(priced({ ...wanted, direction: 'onramp', methods, at }, site));
      if (offer === undefined) throw applicationError(400, ERROR_CODES.valueIsZero);
      return quoteV1({ ...wanted, direction: 'onramp', at, identifierName, bodies: site.bodies }, offer, wanted.name);
    },
  );
};

function answerV3(body: RequestV3, site: Site, direction: Direction) {
  const { clock, market, identifierName, bodies } = site;
  const wanted = readQuoteRequest(body, direction);
  const methods = supportedMethods(direction, wanted.currency, body.userCountryCode);
  const at = clock.now();
  const offers = priced({ ...wanted, direction, methods, at }, site);
  return quoteV3({ ...wanted, direction, at, identifierName, bodies }, offers, market);
}

/** @throws ServiceError 400 where the fees leave nothing with any method. */
function priced(request: Parameters<typeof offersFor>[0], { market }: Site): readonly Offer[] {
  const offers = offersFor(request, market);
  if (offers.length === 0 && request.methods.length > 0) throw applicationError(400, ERROR_CODES.valueIsZero);
  return offers;
}

/**
 * The named method, or all that support the currency. A method and a currency that do not go together have an answer of
 * their own (spec §7.2), whether the currency is traded or not.
 * @throws ServiceError 400
 */
function requestedMethods({ paymentMethodType: name, fiatCurrency: currency }: RequestV1): readonly Method[] {
  const supported = supportedMethods('onramp', currency);
  if (name === undefined) return supported;
  if (typeof name !== 'string' || !methodsOf('onramp').some((each) => each.name === name))
    throw validationError('paymentMethodType must be a valid enum value');
  const methods = supported.filter((each) => each.name === name);
  if (methods.length > 0) return methods;
  throw applicationError(400, ERROR_CODES.unsupportedMethod, { currency, paymentMethodType: name });
}

interface QuoteRequest extends Pick<OfferRequest, 'asset' | 'currency' | 'asked'> {
  /** As the request names it. */
  name: string;
}

/** @throws ServiceError 400 for an asset or a currency that is not traded. */
function readQuoteRequest(body: RequestV1 | RequestV3, direction: Direction): QuoteRequest {
  const { cryptoAssetSymbol: name, fiatCurrency, cryptoAmount, fiatValue } = body;
  const { code } = tradedCurrency(fiatCurrency, direction);
  const asset = tradedAsset(name, direction);
  const asked = typeof fiatValue === 'number' ? { fiat: fiatValue } : { units: BigInt(String(cryptoAmount)) };
  return { asset, name, currency: code, asked };
}
