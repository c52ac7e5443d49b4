/** Assets, methods, currencies and countries of all versions (spec §4.1–§4.3). */
import { z } from 'zod';
import type { Answer, Endpoint } from '../../openapi/contract.ts';
import { assetsV1 } from '../../service/wire/assets-v1.ts';
import { assetsV2 } from '../../service/wire/assets-v2.ts';
import { offrampAssetsV3, onrampAssetsV3 } from '../../service/wire/assets-v3.ts';
import { countries } from '../../service/wire/countries.ts';
import { currencies } from '../../service/wire/currencies.ts';
import { applicationError, validationError } from '../../service/wire/errors.ts';
import { paymentMethods } from '../../service/wire/payment-methods.ts';
import { payoutMethods } from '../../service/wire/payout-methods.ts';
import { ERROR_CODES } from '../errors.ts';
import { COUNTRY_CODE, FLAG, HOST_API_KEY, IP_ADDRESS } from '../routes/parameters.ts';
import { invalid, limited } from './answers.ts';

const CACHED = {
  'Cache-Control': z.string().describe('Fifteen minutes: `public, max-age=900`.'),
  ETag: z.string().describe('Weak: changes with the content.'),
};

const NOT_MODIFIED: Answer = { says: 'Nothing has changed since that `ETag`.', headers: CACHED };

const IF_NONE_MATCH = z.object({
  'If-None-Match': z.string().optional().describe('An `ETag` that was answered before.'),
});

const KEY_AND_ADDRESS = {
  hostApiKey: HOST_API_KEY.optional().describe('With a known key, the answer has `enabledFeatures` (spec §5.2).'),
  userIp: IP_ADDRESS.optional().describe('Only assets that are available where this address is.'),
};

const ASSETS_QUERY = z.object({
  currencyCode: z
    .string()
    .optional()
    .meta({ default: 'EUR', description: 'ISO 4217: the currency of limits and network fees.' }),
  ...KEY_AND_ADDRESS,
  withDisabled: FLAG.optional().meta({ default: 'false', description: 'Also assets with `enabled: false`.' }),
  withHidden: FLAG.optional().meta({ default: 'false', description: 'Also assets with `hidden: true`.' }),
});

const ASSETS_QUERY_V1 = z.object({
  ...KEY_AND_ADDRESS,
  onlyEnabled: FLAG.optional().meta({ default: 'false', description: 'Only assets with `enabled: true`.' }),
  omitHidden: FLAG.optional().meta({ default: 'false', description: 'No assets with `hidden: true`.' }),
});

const NO_SUCH_CURRENCY: Answer = {
  says: 'A parameter is not valid, or nothing is traded in that currency.',
  schema: z.union([validationError, applicationError]),
  examples: {
    ...invalid('withHidden must be a boolean value').examples,
    [ERROR_CODES.currencyNotSupported]: {
      currencyCode: 'XXX',
      code: ERROR_CODES.currencyNotSupported,
      statusCode: 400,
    },
  },
};

type Described = Pick<Endpoint, 'path' | 'id' | 'tag' | 'summary' | 'about' | 'query'>;

function reference(described: Described, schema: z.ZodType, badRequest?: Answer): Endpoint {
  const answers = { 200: { says: 'Reference data, as it is now.', schema, headers: CACHED }, 304: NOT_MODIFIED };
  return {
    method: 'GET',
    ...described,
    headers: IF_NONE_MATCH,
    answers: limited(badRequest === undefined ? answers : { ...answers, 400: badRequest }),
  };
}

export const REFERENCE_ENDPOINTS: readonly Endpoint[] = [
  reference(
    {
      path: '/api/host-api/v3/assets',
      id: 'getAssetsV3',
      tag: 'v3',
      summary: 'Assets that can be bought, with limits and fees',
      about: 'Spec §2.1, §2.2. `-1` as a limit means that the global one applies.',
      query: ASSETS_QUERY,
    },
    onrampAssetsV3,
    NO_SUCH_CURRENCY,
  ),
  reference(
    {
      path: '/api/host-api/v3/offramp/assets',
      id: 'getOfframpAssetsV3',
      tag: 'v3',
      summary: 'Assets that can be sold, with limits',
      about: 'Spec §2.3. There are no fee figures for the off-ramp.',
      query: ASSETS_QUERY,
    },
    offrampAssetsV3,
    NO_SUCH_CURRENCY,
  ),
  reference(
    { path: '/api/host-api/v3/payment-methods', id: 'getPaymentMethods', tag: 'v3', summary: 'How a buyer can pay' },
    paymentMethods,
  ),
  reference(
    { path: '/api/host-api/v3/payout-methods', id: 'getPayoutMethods', tag: 'v3', summary: 'How a seller can be paid' },
    payoutMethods,
  ),
  reference(
    {
      path: '/api/host-api/v3/currencies',
      id: 'getCurrencies',
      tag: 'v3',
      summary: 'Fiat currencies that are traded',
      query: z.object({
        countryCode: COUNTRY_CODE.optional().describe('ISO 3166-1 alpha-2, lower case: only what is used there.'),
      }),
    },
    currencies,
    invalid('countryCode must be a lowercase ISO 3166-1 alpha-2 code'),
  ),
  reference(
    {
      path: '/api/host-api/v2/assets',
      id: 'getAssetsV2',
      tag: 'v2',
      summary: 'Assets that can be bought, with limits and fees',
      about: 'Spec §2.10: as v3, without `chain`, and with the blockchain as `type` of native assets.',
      query: ASSETS_QUERY,
    },
    assetsV2,
    NO_SUCH_CURRENCY,
  ),
  reference(
    {
      path: '/api/host-api/assets',
      id: 'getAssetsV1',
      tag: 'v1',
      summary: 'Assets that can be bought, every amount in EUR',
      about: 'Spec §2.10. Disabled and hidden assets are included unless they are left out.',
      query: ASSETS_QUERY_V1,
    },
    assetsV1,
    invalid('onlyEnabled must be a boolean value'),
  ),
  reference(
    { path: '/api/host-api/countries', id: 'getCountries', tag: 'v1', summary: 'Countries that are enabled' },
    countries,
  ),
];
