/** Payment and payout methods (spec §2.4), what each costs, and where each may be used. */

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
