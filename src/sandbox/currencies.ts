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

export const CURRENCIES: readonly FiatCurrency[] = [
  {
    code: 'EUR',
    name: 'Euro',
    eur: 1,
    typedDigits: 2,
    step: 5,
    onramp: true,
    offramp: true,
    weight: 34,
    country: 'de',
  },
  {
    code: 'USD',
    name: 'US Dollar',
    eur: 0.9174,
    typedDigits: 2,
    step: 5,
    onramp: true,
    offramp: true,
    weight: 22,
    country: 'us',
  },
  {
    code: 'GBP',
    name: 'British Pound',
    eur: 1.1642,
    typedDigits: 2,
    step: 5,
    onramp: true,
    offramp: true,
    weight: 14,
    country: 'gb',
  },
  {
    code: 'BRL',
    name: 'Brazilian Real',
    eur: 0.1663,
    typedDigits: 2,
    step: 25,
    onramp: true,
    offramp: true,
    weight: 7,
    country: 'br',
  },
  {
    code: 'MXN',
    name: 'Mexican Peso',
    eur: 0.05058,
    typedDigits: 2,
    step: 100,
    onramp: true,
    offramp: true,
    weight: 4,
    country: 'mx',
  },
  {
    code: 'PLN',
    name: 'Polish Zloty',
    eur: 0.2339,
    typedDigits: 2,
    step: 20,
    onramp: true,
    offramp: false,
    weight: 6,
    country: 'pl',
  },
  {
    code: 'JPY',
    name: 'Japanese Yen',
    eur: 0.006127,
    typedDigits: 0,
    step: 1000,
    onramp: true,
    offramp: false,
    weight: 3,
    country: 'jp',
  },
  {
    code: 'HUF',
    name: 'Hungarian Forint',
    eur: 0.002541,
    typedDigits: 0,
    step: 2000,
    onramp: true,
    offramp: false,
    weight: 2,
    country: 'hu',
  },
  {
    code: 'COP',
    name: 'Colombian Peso',
    eur: 0.0002147,
    typedDigits: 0,
    step: 25_000,
    onramp: true,
    offramp: false,
    weight: 2,
    country: 'co',
  },
  {
    code: 'CHF',
    name: 'Swiss Franc',
    eur: 1.0527,
    typedDigits: 2,
    step: 5,
    onramp: true,
    offramp: false,
    weight: 3,
    country: 'ch',
  },
  {
    code: 'KWD',
    name: 'Kuwaiti Dinar',
    eur: 2.9874,
    typedDigits: 3,
    step: 2,
    onramp: true,
    offramp: false,
    weight: 1,
    country: 'kw',
  },
  {
    code: 'PEN',
    name: 'Peruvian Sol',
    eur: 0.2471,
    typedDigits: 2,
    step: 25,
    onramp: true,
    offramp: false,
    weight: 1,
    country: 'pe',
  },
  {
    code: 'CZK',
    name: 'Czech Koruna',
    eur: 0.03968,
    typedDigits: 2,
    step: 125,
    onramp: true,
    offramp: false,
    weight: 2,
    country: 'cz',
  },
];

const BY_CODE = new Map(CURRENCIES.map((currency) => [currency.code, currency]));

/** Undefined for a currency that the sandbox does not trade (ARS, CLP, AUD …). */
export function findCurrency(code: string): FiatCurrency | undefined {
  return BY_CODE.get(code);
}

/** @throws RangeError for a currency of ours that is not in the table. */
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
