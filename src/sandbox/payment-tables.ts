/** Payment and payout methods, currencies and countries of the Service on this machine. */
import { applicationError, ERROR_CODES } from './errors.ts';

export interface Method {
  name: string;
  currencies: readonly string[];
  /** Lower-case ISO 3166-1 alpha-2. */
  countries: readonly string[];
  /** Base fee in percent of the crypto's value. */
  percent: number;
  /** Share of records, in no particular unit. */
  weight: number;
  /** The name that older records carry (spec §2.11), if any. */
  oldNames: readonly string[];
  /** Hours from the start to the end of a record paid this way: shortest and longest. */
  hours: readonly [number, number];
}

const EURO_AREA = 'de ee es fr it nl pt';

/** Columns as in `Method`; lists are texts with blanks. */
type Row = readonly [string, string, string, number, number, string, readonly [number, number]];

const listOf = (text: string) => (text === '' ? [] : text.split(' '));

const table = (rows: readonly Row[]): readonly Method[] =>
  rows.map(([name, currencies, countries, percent, weight, oldNames, hours]) => ({
    name,
    currencies: listOf(currencies),
    countries: listOf(countries),
    percent,
    weight,
    oldNames: listOf(oldNames),
    hours,
  }));

/** 3.9 is the published maximum and 0.99 the published minimum (field facts); both are really charged. */
export const PAYMENT_METHODS = table([
  ['MANUAL_BANK_TRANSFER', 'EUR GBP PLN HUF CZK', `${EURO_AREA} gb pl hu cz`, 0.99, 15, 'SEPA', [2, 46]],
  ['AUTO_BANK_TRANSFER', 'EUR GBP', `${EURO_AREA} gb`, 1, 15, 'PISP OPEN_BANKING', [0.1, 20]],
  [
    'CARD_PAYMENT',
    'EUR USD GBP BRL MXN PLN JPY HUF COP CHF KWD PEN CZK',
    `${EURO_AREA} us gb br mx pl jp hu co ch kw pe cz`,
    3.9,
    34,
    'CARD',
    [0.1, 30],
  ],
  ['APPLE_PAY', 'EUR USD GBP CHF PLN JPY', `${EURO_AREA} us gb ch pl jp`, 3.5, 22, 'APPLEPAY', [0.1, 24]],
  ['GOOGLE_PAY', 'EUR USD GBP CHF PLN MXN', `${EURO_AREA} us gb ch pl mx`, 3.5, 14, 'GOOGLEPAY', [0.1, 24]],
  ['PIX', 'BRL', 'br', 1.99, 40, '', [0.05, 8]],
]);

export const PAYOUT_METHODS = table([
  ['AMERICAN_BANK_TRANSFER', 'USD', 'us', 1.49, 10, '', [4, 46]],
  ['CARD', 'EUR GBP', `${EURO_AREA} gb`, 2.49, 10, '', [0.3, 12]],
  ['SEPA', 'EUR', EURO_AREA, 0.99, 14, '', [3, 46]],
  ['SPEI', 'MXN', 'mx', 1.49, 10, '', [0.3, 24]],
  ['PIX', 'BRL', 'br', 1.99, 10, '', [0.1, 8]],
]);

export type Direction = 'onramp' | 'offramp';

export function methodsOf(direction: Direction): readonly Method[] {
  return direction === 'onramp' ? PAYMENT_METHODS : PAYOUT_METHODS;
}

/** Those that support the currency and, where a country is given, may be used there. In the order of the table. */
export function supportedMethods(direction: Direction, currency: string, country?: string): readonly Method[] {
  const place = country?.toLowerCase();
  return methodsOf(direction).filter(
    ({ currencies, countries }) => currencies.includes(currency) && (place === undefined || countries.includes(place)),
  );
}

/** @throws RangeError for a method that is not in the table. */
export function method(direction: Direction, name: string): Method {
  const found = methodsOf(direction).find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`no such method in the sandbox: ${name}`);
  return found;
}

// The fiat currencies of the sandbox. Figures are invented but of the right size.

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
const CURRENCY_ROWS: readonly (readonly [string, string, number, number, number, boolean, number, string])[] = [
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

export const CURRENCIES: readonly FiatCurrency[] = CURRENCY_ROWS.map(
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

const CURRENCY_BY_CODE = new Map(CURRENCIES.map((currency) => [currency.code, currency]));

/** Undefined for a currency that the sandbox does not trade (ARS, CLP, AUD …). */
export function findCurrency(code: string): FiatCurrency | undefined {
  return CURRENCY_BY_CODE.get(code);
}

/** @throws RangeError for a currency that is not in the table. */
export function currency(code: string): FiatCurrency {
  const found = CURRENCY_BY_CODE.get(code);
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

// Countries (spec §2.10 CountryInfo) and the simple rule by which `userIp` names one.

interface Country {
  /** Lower-case ISO 3166-1 alpha-2. */
  code: string;
  name: string;
  currency: string;
  /** v3 identifiers: undefined means all assets, an empty list none (spec §2.10). */
  supportedAssets?: readonly string[];
}

export const COUNTRIES: readonly Country[] = [
  { code: 'de', name: 'Germany', currency: 'EUR' },
  { code: 'ee', name: 'Estonia', currency: 'EUR' },
  { code: 'es', name: 'Spain', currency: 'EUR' },
  { code: 'fr', name: 'France', currency: 'EUR' },
  { code: 'it', name: 'Italy', currency: 'EUR' },
  { code: 'nl', name: 'Netherlands', currency: 'EUR' },
  { code: 'pt', name: 'Portugal', currency: 'EUR' },
  { code: 'us', name: 'United States', currency: 'USD' },
  { code: 'gb', name: 'United Kingdom', currency: 'GBP' },
  { code: 'br', name: 'Brazil', currency: 'BRL' },
  { code: 'mx', name: 'Mexico', currency: 'MXN' },
  { code: 'pl', name: 'Poland', currency: 'PLN' },
  { code: 'jp', name: 'Japan', currency: 'JPY' },
  { code: 'hu', name: 'Hungary', currency: 'HUF' },
  { code: 'co', name: 'Colombia', currency: 'COP' },
  { code: 'ch', name: 'Switzerland', currency: 'CHF' },
  { code: 'kw', name: 'Kuwait', currency: 'KWD' },
  { code: 'pe', name: 'Peru', currency: 'PEN' },
  { code: 'cz', name: 'Czechia', currency: 'CZK' },
  { code: 'np', name: 'Nepal', currency: 'NPR', supportedAssets: ['BTC_BTC', 'ETH_ETH', 'SOLANA_SOL'] },
  { code: 'cu', name: 'Cuba', currency: 'CUP', supportedAssets: [] },
];

const COUNTRY_BY_CODE = new Map(COUNTRIES.map((country) => [country.code, country]));

/** Case-insensitive. */
export function findCountry(code: string): Country | undefined {
  return COUNTRY_BY_CODE.get(code.toLowerCase());
}

/** A country's own currency, and the euro and the dollar wherever anything is traded at all. */
export function isUsedIn(country: string, currency: string): boolean {
  const found = findCountry(country);
  if (found === undefined || found.supportedAssets?.length === 0) return false;
  return found.currency === currency || currency === 'EUR' || currency === 'USD';
}

/**
 * The documentation networks of RFC 5737, one country each. A real deployment looks an address up; any other address is
 * taken to be somewhere without restrictions.
 */
const NETWORKS: readonly [prefix: string, country: string][] = [
  ['192.0.2.', 'de'],
  ['198.51.100.', 'np'],
  ['203.0.113.', 'cu'],
];

export function countryOfAddress(ip: string): Country | undefined {
  const network = NETWORKS.find(([prefix]) => ip.startsWith(prefix));
  return network === undefined ? undefined : findCountry(network[1]);
}
