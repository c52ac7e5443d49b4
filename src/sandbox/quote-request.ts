/** Bodies of quote requests (spec §2.6, §2.10): what they may be, with the messages of the Service for what they may not. */
import { z } from 'zod';

const UNITS = /^\d{1,40}$/;

const word = (name: string) => z.string({ error: `${name} must be a string` });

const FIELDS = {
  cryptoAssetSymbol: word('cryptoAssetSymbol').describe('Asset identifier `<CHAIN>_<SYMBOL>`, such as `ETH_ETH`.'),
  fiatCurrency: word('fiatCurrency').describe('ISO 4217 code.'),
  userCountryCode: word('userCountryCode')
    .optional()
    .describe('ISO 3166-1 alpha-2: leaves out methods not offered there.'),
  userRegionCode: z
    .unknown()
    .optional()
    .meta({ type: 'string', description: 'Second part of the ISO 3166-2 code. Changes nothing here.' }),
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
export const quoteRequestV3 = z
  .looseObject(FIELDS, { error: 'body must be an object' })
  .check(always(amountProblem))
  .meta(ONE_AMOUNT);

/** Version 1. The method is looked at after everything else, as its currency is part of the question. */
export const quoteRequestV1 = z
  .looseObject(
    {
      ...FIELDS,
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

/** A check that runs even where single fields are wrong: all problems are told at once. */
function always<T extends object>(problemOf: (value: T) => string | null) {
  const check = z.check<T>(({ value, issues }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const message = problemOf(value);
    if (message !== null) issues.push({ code: 'custom', message, input: value });
  });
  check._zod.def.when = () => true;
  return check;
}
