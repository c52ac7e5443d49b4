/** Quote requests, with the Service's messages for invalid ones, and quotes (spec §2.6, §2.7, §2.10). */
import { z } from 'zod';
import { ASSET_SCHEMAS } from './assets.ts';
import { paymentMethod, payoutMethod } from './lists.ts';
import { amount, currencyCode, decimals, units, word } from './scalars.ts';

const UNITS = /^\d{1,40}$/;

const text = (name: string) => z.string({ error: `${name} must be a string` });

const ASSET_AND_CURRENCY = {
  cryptoAssetSymbol: text('cryptoAssetSymbol').describe('Asset identifier `<CHAIN>_<SYMBOL>`, such as `ETH_ETH`.'),
  fiatCurrency: text('fiatCurrency').describe('ISO 4217 code.'),
};

/** Version 3 only (spec §2.6). */
const PLACE = {
  userCountryCode: z
    .string({ error: 'userCountryCode must be a string' })
    .regex(/^[A-Za-z]{2}$/, 'userCountryCode must be an ISO 3166-1 alpha-2 code')
    .optional()
    .describe('ISO 3166-1 alpha-2: leaves out methods not offered there.'),
  userRegionCode: z
    .string({ error: 'userRegionCode must be a string' })
    .regex(/^[A-Za-z0-9]{1,3}$/, 'userRegionCode must be the second part of an ISO 3166-2 code')
    .optional()
    .describe('Second part of the ISO 3166-2 code. Changes nothing here: the text names no effect.'),
};

const AMOUNTS = {
  cryptoAmount: z.unknown().optional().meta({
    type: 'string',
    pattern: UNITS.source,
    description: 'In wei or token units. Either this or `fiatValue`.',
  }),
  fiatValue: z.unknown().optional().meta({
    type: 'number',
    minimum: 0,
    description: 'In `fiatCurrency`: what a buyer pays, or what a seller receives. Either this or `cryptoAmount`.',
  }),
};

const ONE_AMOUNT = { oneOf: [{ required: ['cryptoAmount'] }, { required: ['fiatValue'] }] };

/** Version 3, both directions. */
const quoteRequestV3 = z
  .looseObject({ ...ASSET_AND_CURRENCY, ...PLACE, ...AMOUNTS }, { error: 'body must be an object' })
  .check(always(amountProblem))
  .meta(ONE_AMOUNT);

/** Version 1. The method is looked at after everything else, as its currency is part of the question. */
const quoteRequestV1 = z
  .looseObject(
    {
      ...ASSET_AND_CURRENCY,
      ...AMOUNTS,
      paymentMethodType: z.unknown().optional().meta({
        type: 'string',
        description: 'Absent: the method with the lowest fee that supports the currency.',
      }),
    },
    { error: 'body must be an object' },
  )
  .check(always(amountProblem))
  .meta(ONE_AMOUNT);

/** Exactly one of the two amounts (spec §4.1 rule 1). */
function amountProblem({ cryptoAmount, fiatValue }: { cryptoAmount?: unknown; fiatValue?: unknown }): string | null {
  if ((cryptoAmount === undefined) === (fiatValue === undefined)) {
    return 'exactly one of cryptoAmount and fiatValue must be given';
  }
  if (cryptoAmount !== undefined) {
    return typeof cryptoAmount === 'string' && UNITS.test(cryptoAmount) ? null : 'cryptoAmount must be a number string';
  }
  return typeof fiatValue === 'number' && fiatValue >= 0 ? null : 'fiatValue must be a positive number';
}

/** A check that runs even where single fields are wrong, so that one answer names every problem. */
function always<T extends object>(problemOf: (value: T) => string | null) {
  const check = z.check<T>(({ value, issues }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const message = problemOf(value);
    if (message !== null) issues.push({ code: 'custom', message, input: value });
  });
  check._zod.def.when = () => true;
  return check;
}

/**
 * By their names in the document.
 * @param baseFee the wire name of `baseServiceFee`
 */
export function quoteSchemas(baseFee: string) {
  const method = {
    fiatCurrency: currencyCode,
    cryptoAmount: units,
    fiatValue: amount.describe('On-ramp: the total that the user pays. Off-ramp: the total that the user receives.'),
    appliedFee: amount.describe('The fee that the user pays; within `fiatValue`.'),
    hostFeeCut: amount.optional(),
  };
  const baseServiceFee = amount.describe('Base fee before any modification.');
  const QuoteResultForPaymentMethod = z.looseObject({ ...method, [baseFee]: baseServiceFee });
  // The base fee of an off-ramp quote may be null (field facts "Reference data").
  const QuoteResultForPayoutMethod = z.looseObject({ ...method, [baseFee]: baseServiceFee.nullable() });
  return {
    QuoteRequestBody: quoteRequestV3,
    QuoteRequestBodyV1: quoteRequestV1,
    QuoteResult: z.looseObject({
      asset: ASSET_SCHEMAS.AssetInfo,
      ...Object.fromEntries(paymentMethod.options.map((name) => [name, QuoteResultForPaymentMethod.optional()])),
    }),
    QuoteResultForPaymentMethod,
    OfframpQuoteResult: z.looseObject({
      asset: ASSET_SCHEMAS.OfframpAssetInfo,
      ...Object.fromEntries(payoutMethod.options.map((name) => [name, QuoteResultForPayoutMethod.optional()])),
    }),
    QuoteResultForPayoutMethod,
    QuoteResultV1: z.looseObject({
      cryptoAssetSymbol: word,
      fiatCurrency: currencyCode,
      cryptoAmount: units,
      fiatValue: amount.describe('The total that the user pays, `appliedFee` included; in `fiatCurrency`.'),
      paymentMethodType: word,
      asset: z.looseObject({ address: z.string().nullable(), symbol: word, name: z.string(), decimals }),
      assetExchangeRate: amount,
      assetExchangeRateEur: amount,
      fiatExchangeRateEur: amount,
      [baseFee]: baseServiceFee,
      networkFee: amount.describe('Part of `appliedFee`, never to be added to it.'),
      appliedFee: amount,
    }),
  };
}
