/** Countries (spec §2.10 CountryInfo) and the simple rule by which `userIp` names one. */

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

const BY_CODE = new Map(COUNTRIES.map((country) => [country.code, country]));

/** Case-insensitive. */
export function findCountry(code: string): Country | undefined {
  return BY_CODE.get(code.toLowerCase());
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
