/** The quote endpoints (spec §2.6, §2.7, §2.10). */
import { z } from 'zod';
import type { Endpoint } from '../../openapi/contract.ts';
import { quoteV1 } from '../../service/wire/quote-v1.ts';
import { offrampQuoteV3, onrampQuoteV3 } from '../../service/wire/quote-v3.ts';
import { ERROR_CODES } from '../errors.ts';
import { quoteRequestV1, quoteRequestV3 } from '../quote-request.ts';
import { HOST_API_KEY } from '../routes/parameters.ts';
import { KEY_UNKNOWN, limited, reading, refusedBody } from './answers.ts';
import { EXAMPLES } from './examples.ts';

const QUERY = z.object({ hostApiKey: HOST_API_KEY.describe('The integration key (spec §5.1).') });

const REFUSALS = {
  [ERROR_CODES.assetNotSupported]: { cryptoAssetSymbol: 'XXX_XXX' },
  [ERROR_CODES.currencyNotSupported]: { currencyCode: 'XXX' },
  [ERROR_CODES.valueIsZero]: {},
};

const BUYING = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };
const SELLING = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', cryptoAmount: '100000000000000000' };

export const QUOTE_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/api/host-api/v3/onramp/quote/all',
    id: 'quoteOnrampV3',
    tag: 'v3',
    summary: 'What a purchase costs, by every payment method at once',
    about: 'Only methods that support `fiatCurrency` are in the answer (spec §4.1).',
    query: QUERY,
    body: { schema: quoteRequestV3, examples: { 'pay 100 EUR': BUYING } },
    answers: limited(
      reading({
        200: {
          says: '`asset`, and one key per payment method.',
          schema: onrampQuoteV3,
          examples: EXAMPLES.onrampQuote,
        },
        400: refusedBody('exactly one of cryptoAmount and fiatValue must be given', REFUSALS),
        403: KEY_UNKNOWN,
      }),
    ),
  },
  {
    method: 'POST',
    path: '/api/host-api/v3/offramp/quote/all',
    id: 'quoteOfframpV3',
    tag: 'v3',
    summary: 'What a sale brings, by every payout method at once',
    about: 'Only methods that support `fiatCurrency` are in the answer (spec §4.1).',
    query: QUERY,
    body: { schema: quoteRequestV3, examples: { 'sell 0.1 ETH': SELLING } },
    answers: limited(
      reading({
        200: {
          says: '`asset`, and one key per payout method.',
          schema: offrampQuoteV3,
          examples: EXAMPLES.offrampQuote,
        },
        400: refusedBody('cryptoAmount must be a number string', REFUSALS),
        403: KEY_UNKNOWN,
      }),
    ),
  },
  {
    method: 'POST',
    path: '/api/host-api/quote',
    id: 'quoteV1',
    tag: 'v1',
    summary: 'What a purchase costs, by one payment method',
    about: 'Spec §2.10. Without `paymentMethodType`, by the one with the lowest fee that supports the currency.',
    query: QUERY,
    body: {
      schema: quoteRequestV1,
      examples: { 'pay 100 EUR by card': { ...BUYING, paymentMethodType: 'CARD_PAYMENT' } },
    },
    answers: limited(
      reading({
        200: { says: 'The quote.', schema: quoteV1, examples: EXAMPLES.quoteV1 },
        400: refusedBody('paymentMethodType must be a valid enum value', {
          ...REFUSALS,
          [ERROR_CODES.unsupportedMethod]: { currency: 'USD', paymentMethodType: 'PIX' },
        }),
        403: KEY_UNKNOWN,
      }),
    ),
  },
];
