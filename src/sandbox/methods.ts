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

const EURO_AREA = ['de', 'ee', 'es', 'fr', 'it', 'nl', 'pt'] as const;

/** 3.9 is the published maximum and 0.99 the published minimum (field facts); both are really charged. */
export const PAYMENT_METHODS: readonly Method[] = [
  {
    name: 'MANUAL_BANK_TRANSFER',
    currencies: ['EUR', 'GBP', 'PLN', 'HUF', 'CZK'],
    countries: [...EURO_AREA, 'gb', 'pl', 'hu', 'cz'],
    percent: 0.99,
    weight: 15,
    oldNames: ['SEPA'],
    hours: [2, 46],
  },
  {
    name: 'AUTO_BANK_TRANSFER',
    currencies: ['EUR', 'GBP'],
    countries: [...EURO_AREA, 'gb'],
    percent: 1,
    weight: 15,
    oldNames: ['PISP', 'OPEN_BANKING'],
    hours: [0.1, 20],
  },
  {
    name: 'CARD_PAYMENT',
    currencies: ['EUR', 'USD', 'GBP', 'BRL', 'MXN', 'PLN', 'JPY', 'HUF', 'COP', 'CHF', 'KWD', 'PEN', 'CZK'],
    countries: [...EURO_AREA, 'us', 'gb', 'br', 'mx', 'pl', 'jp', 'hu', 'co', 'ch', 'kw', 'pe', 'cz'],
    percent: 3.9,
    weight: 34,
    oldNames: ['CARD'],
    hours: [0.1, 30],
  },
  {
    name: 'APPLE_PAY',
    currencies: ['EUR', 'USD', 'GBP', 'CHF', 'PLN', 'JPY'],
    countries: [...EURO_AREA, 'us', 'gb', 'ch', 'pl', 'jp'],
    percent: 3.5,
    weight: 22,
    oldNames: ['APPLEPAY'],
    hours: [0.1, 24],
  },
  {
    name: 'GOOGLE_PAY',
    currencies: ['EUR', 'USD', 'GBP', 'CHF', 'PLN', 'MXN'],
    countries: [...EURO_AREA, 'us', 'gb', 'ch', 'pl', 'mx'],
    percent: 3.5,
    weight: 14,
    oldNames: ['GOOGLEPAY'],
    hours: [0.1, 24],
  },
  { name: 'PIX', currencies: ['BRL'], countries: ['br'], percent: 1.99, weight: 40, oldNames: [], hours: [0.05, 8] },
];

export const PAYOUT_METHODS: readonly Method[] = [
  {
    name: 'AMERICAN_BANK_TRANSFER',
    currencies: ['USD'],
    countries: ['us'],
    percent: 1.49,
    weight: 10,
    oldNames: [],
    hours: [4, 46],
  },
  {
    name: 'CARD',
    currencies: ['EUR', 'GBP'],
    countries: [...EURO_AREA, 'gb'],
    percent: 2.49,
    weight: 10,
    oldNames: [],
    hours: [0.3, 12],
  },
  { name: 'SEPA', currencies: ['EUR'], countries: EURO_AREA, percent: 0.99, weight: 14, oldNames: [], hours: [3, 46] },
  { name: 'SPEI', currencies: ['MXN'], countries: ['mx'], percent: 1.49, weight: 10, oldNames: [], hours: [0.3, 24] },
  { name: 'PIX', currencies: ['BRL'], countries: ['br'], percent: 1.99, weight: 10, oldNames: [], hours: [0.1, 8] },
];

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

/** @throws RangeError for a method of ours that is not in the table. */
export function method(direction: Direction, name: string): Method {
  const found = methodsOf(direction).find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`no such method in the sandbox: ${name}`);
  return found;
}
