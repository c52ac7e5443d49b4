/** The fiat currencies of the sandbox. Figures are invented but of the right size. */
import { applicationError, ERROR_CODES } from './errors.ts';

export interface FiatCurrency {
  code: string;
  name: string;
  /** Price of one unit in EUR, around which the rate moves. */
  eur: number;
  /** Digits after the point of an amount that a user types; not ISO 4217's minor units (fillér are not typed). */
  typedDigits: number;
  /** A round amount of about five euros: people buy for 50, 100, 1000 of their money, not for 46.51. */
  step: number;
  onramp: boolean;
  offramp: boolean;
  /** Share of purchases, in no particular unit. */
  weight: number;
  /** The country a typical user of the currency writes from; lower-case ISO 3166-1 alpha-2. */
  country: string;
}

/** Columns as in `FiatCurrency`; every one is traded on the on-ramp. */
const ROWS: readonly (readonly [string, string, number, number, number, boolean, number, string])[] = [
  ['EUR', 'Euro', 1, 2, 5, true, 34, 'de'],
  ['USD', 'US Dollar', 0.9174, 2, 5, true, 22, 'us'],
  ['GBP', 'British Pound', 1.1642, 2, 5, true, 14, 'gb'],
  ['BRL', 'Brazilian Real', 0.1663, 2, 25, true, 7, 'br'],
  ['MXN', 'Mexican Peso', 0.05058, 2, 100, true, 4, 'mx'],
  ['PLN', 'Polish Zloty', 0.2339, 2, 20, false, 6, 'pl'],
  ['JPY', 'Japanese Yen', 0.006127, 0, 1000, false, 3, 'jp'],
  ['HUF', 'Hungarian Forint', 0.002541, 0, 2000, false, 2, 'hu'],
  ['COP', 'Colombian Peso', 0.0002147, 0, 25_000, false, 2, 'co'],
  ['CHF', 'Swiss Franc', 1.0527, 2, 5, false, 3, 'ch'],
  ['KWD', 'Kuwaiti Dinar', 2.9874, 3, 2, false, 1, 'kw'],
  ['PEN', 'Peruvian Sol', 0.2471, 2, 25, false, 1, 'pe'],
  ['CZK', 'Czech Koruna', 0.03968, 2, 125, false, 2, 'cz'],
];

export const CURRENCIES: readonly FiatCurrency[] = ROWS.map(
  ([code, name, eur, typedDigits, step, offramp, weight, country]) => ({
    code,
    name,
    eur,
    typedDigits,
    step,
    onramp: true,
    offramp,
    weight,
    country,
  }),
);

const BY_CODE = new Map(CURRENCIES.map((currency) => [currency.code, currency]));

/** Undefined for a currency that the sandbox does not trade (ARS, CLP, AUD …). */
export function findCurrency(code: string): FiatCurrency | undefined {
  return BY_CODE.get(code);
}

/** @throws RangeError for a currency that is not in the table. */
export function currency(code: string): FiatCurrency {
  const found = BY_CODE.get(code);
  if (found === undefined) throw new RangeError(`no such currency in the sandbox: ${code}`);
  return found;
}

/** Quotes in these give the asset's limits and network fee in EUR, as some deployments do (`asset.currencyCode`). */
const ASSET_FIGURES_IN_EUR: ReadonlySet<string> = new Set(['KWD', 'COP']);

/** The currency of the asset figures inside a v3 quote for `fiatCurrency`. */
export function assetFiguresCurrency(fiatCurrency: string): string {
  return ASSET_FIGURES_IN_EUR.has(fiatCurrency) ? 'EUR' : fiatCurrency;
}

/** @throws ServiceError 400 for a currency without trade in this direction */
export function tradedCurrency(code: string, direction: 'onramp' | 'offramp'): FiatCurrency {
  const currency = findCurrency(code);
  if (currency?.[direction]) return currency;
  throw applicationError(400, ERROR_CODES.currencyNotSupported, { currencyCode: code });
}
