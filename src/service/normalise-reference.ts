/**
 * Reference data: assets responses of every version and direction (spec §2.1–2.3, §2.10) as terms of one fiat currency;
 * payment methods, payout methods and currencies (spec §2.4, §2.5).
 */
import { assetIdentity } from '../domain/asset.ts';
import { currentPaymentMethod } from '../domain/method-names.ts';
import type { Direction } from '../domain/record.ts';
import { type AssetTerms, type MethodTerms, UNREAD } from '../domain/reference.ts';
import type { Drift } from '../domain/snapshot.ts';
import type { AssetsAnswer, CountryTerms, CurrenciesAnswer } from '../ports/service.ts';
import { mapped, type Normalised, readWire } from './drift.ts';
import { isExactObject } from './exact-json.ts';
import { assetOf } from './normalise-record.ts';
import {
  assetInfoV1,
  assetsV1,
  listedAsset,
  listedName,
  offrampAssets,
  onrampAssets,
  type WireAssetInfoV1,
  type WireListedAsset,
  type WireListedName,
} from './wire/assets.ts';
import { countries, currencies, methods } from './wire/lists.ts';
import { decimalOrNull, limitOrNull, priceIn, textOrNull, unitsLimitOrNull } from './wire-values.ts';

/** One bad asset must not hide two hundred good ones: it is left out, or kept without price and network fee. */
type ReferenceAssets = Pick<Required<AssetsAnswer>, 'global' | 'assets' | 'leftOut'>;

export interface AssetsReading {
  api: 'v1' | 'v2' | 'v3';
  direction: Direction;
  /** The requested currency; v1 always answers in EUR. */
  currency: string;
}

const PLAIN = { identifierName: 'Service' };

export function normaliseAssets(
  body: unknown,
  { api, direction, currency }: AssetsReading,
): Normalised<ReferenceAssets> {
  return api === 'v1' ? normaliseV1(body) : normaliseListed(body, direction, currency);
}

/** The off-ramp has no fee figures: what a body has under their names is something else. */
const NO_FEES = { minFeeAmount: null, minFeePercent: null, maxFeePercent: null };

/** v2 differs from v3 in names only: its assets have no chain, and identity is derived. */
function normaliseListed(body: unknown, direction: Direction, currency: string): Normalised<ReferenceAssets> {
  const head =
    direction === 'onramp'
      ? readWire(onrampAssets, body, PLAIN)
      : mapped(readWire(offrampAssets, body, PLAIN), (offramp) => ({ ...offramp, ...NO_FEES }));
  if (!head.ok) return head;
  const { assets, currencyCode, ...figures } = head.value;
  // Figures in another currency than requested would be compared as if they were in the requested one.
  if (currencyCode !== currency) return otherCurrency('currencyCode', currencyCode, currency);
  const global = {
    currencyCode,
    minPurchaseAmount: limitOrNull(figures.minPurchaseAmount),
    maxPurchaseAmount: limitOrNull(figures.maxPurchaseAmount),
    minFeeAmount: decimalOrNull(figures.minFeeAmount),
    minFeePercent: decimalOrNull(figures.minFeePercent),
    maxFeePercent: decimalOrNull(figures.maxFeePercent),
  };
  return { ok: true, value: { global, ...eachAsset(assets, (asset, prefix) => assetV3(asset, prefix, currency)) } };
}

function normaliseV1(body: unknown): Normalised<ReferenceAssets> {
  return mapped(readWire(assetsV1, body, PLAIN), (head) => ({
    global: {
      currencyCode: 'EUR',
      minPurchaseAmount: limitOrNull(head.minPurchaseAmountEur),
      maxPurchaseAmount: limitOrNull(head.maxPurchaseAmountEur),
      minFeeAmount: decimalOrNull(head.minFeeAmountEur),
      minFeePercent: decimalOrNull(head.minFeePercent),
      maxFeePercent: decimalOrNull(head.maxFeePercent),
    },
    ...eachAsset(head.assets, assetV1),
  }));
}

function otherCurrency(field: string, found: string, asked: string): { ok: false; drift: readonly Drift[] } {
  return { ok: false, drift: [{ field, problem: 'value', found, expected: `${asked}, as was asked for`, hint: null }] };
}

/** What a listing may lack (spec §2.2): without it the asset is listed all the same, and is not held against it. */
const OPTIONAL = /^\.(?:price|networkFee)\b/;

function eachAsset(
  items: readonly unknown[],
  read: (item: unknown, prefix: string) => Normalised<AssetTerms>,
): Pick<ReferenceAssets, 'assets' | 'leftOut'> {
  const assets: AssetTerms[] = [];
  // Behind the others: where a body lists an asset twice, the first entry counts.
  const named: AssetTerms[] = [];
  const leftOut: Drift[] = [];
  for (const [index, item] of items.entries()) {
    const prefix = `assets[${index}]`;
    const asset = read(item, prefix);
    if (asset.ok) assets.push(asset.value);
    else leftOut.push(...asset.drift);
    if (asset.ok || !isExactObject(item)) continue;
    const isOptional = asset.drift.every(({ field }) => OPTIONAL.test(field.slice(prefix.length)));
    const rest = isOptional ? read({ ...item, price: null, networkFee: null }, prefix) : asset;
    if (rest.ok) assets.push(rest.value);
    else {
      const name = readWire(listedName, item, PLAIN);
      if (name.ok) named.push(unread(name.value));
    }
  }
  return { assets: [...assets, ...named], leftOut };
}

/** An entry whose name can be read and whose terms cannot: the asset is listed all the same, and nothing is held against it. */
function unread({ symbol, ...wire }: WireListedName): AssetTerms {
  const [chain, type, address] = [textOrNull(wire.chain), textOrNull(wire.type), textOrNull(wire.address)];
  return {
    ...assetIdentity({ symbol, chain, type, address, apiV3Symbol: textOrNull(wire.apiV3Symbol), joined: [] }),
    decimals: UNREAD,
    address,
    enabled: true,
    minPurchaseAmount: null,
    maxPurchaseAmount: null,
    minPurchaseCryptoUnits: null,
    networkFee: null,
    price: null,
  };
}

function assetV3(item: unknown, prefix: string, currency: string): Normalised<AssetTerms> {
  const reading = readWire(listedAsset, item, { ...PLAIN, prefix });
  if (!reading.ok) return reading;
  const wire = reading.value;
  const own = wire.currencyCode ?? currency;
  if (own !== currency) return otherCurrency(`${prefix}.currencyCode`, own, currency);
  return {
    ok: true,
    value: {
      ...named(wire),
      minPurchaseAmount: limitOrNull(wire.minPurchaseAmount),
      maxPurchaseAmount: limitOrNull(wire.maxPurchaseAmount),
      minPurchaseCryptoUnits: unitsLimitOrNull(wire.minPurchaseCryptoAmount),
      networkFee: decimalOrNull(wire.networkFee),
      price: priceIn(wire.price, currency),
      priceEur: priceIn(wire.price, 'EUR'),
    },
  };
}

function assetV1(item: unknown, prefix: string): Normalised<AssetTerms> {
  return mapped(readWire(assetInfoV1, item, { ...PLAIN, prefix }), (wire) => ({
    ...named(wire),
    minPurchaseAmount: limitOrNull(wire.minPurchaseAmountEur),
    maxPurchaseAmount: limitOrNull(wire.maxPurchaseAmountEur),
    minPurchaseCryptoUnits: unitsLimitOrNull(wire.minPurchaseCryptoAmount),
    networkFee: decimalOrNull(wire.networkFeeEur),
    price: decimalOrNull(wire.priceEur) ?? priceIn(wire.price, 'EUR'),
    priceEur: decimalOrNull(wire.priceEur) ?? priceIn(wire.price, 'EUR'),
  }));
}

function named(wire: WireListedAsset | WireAssetInfoV1) {
  const { apiV3Symbol, apiV3Type } = wire;
  const named = (name: unknown) => (typeof name === 'string' ? name : null);
  const asset = assetOf({ ...wire, apiV3Symbol: named(apiV3Symbol), apiV3Type: named(apiV3Type) });
  return { ...asset, enabled: wire.enabled, hidden: wire.hidden === true };
}

/** Old names of payment methods are replaced by the present ones, as in purchases; names of payout methods are kept. */
export function normaliseMethods(body: unknown, direction: Direction): Normalised<readonly MethodTerms[]> {
  return mapped(readWire(methods, body, PLAIN), (listed) =>
    listed.map((method) => ({
      name: direction === 'onramp' ? currentPaymentMethod(method.name) : method.name,
      currencies: method.currencies.map((code) => code.toUpperCase()),
      countries: method.countries.map((code) => code.toLowerCase()),
    })),
  );
}

export function normaliseCurrencies(body: unknown): Normalised<CurrenciesAnswer['currencies']> {
  return mapped(readWire(currencies, body, PLAIN), (listed) =>
    listed.map(({ fiatCurrency, onrampAvailable, offrampAvailable }) => ({
      code: fiatCurrency,
      onramp: onrampAvailable,
      offramp: offrampAvailable,
    })),
  );
}

export function normaliseCountries(body: unknown): Normalised<readonly CountryTerms[]> {
  return mapped(readWire(countries, body, PLAIN), (listed) =>
    listed.map(({ code, name, cardPaymentsEnabled, mainCurrencyCode, supportedAssets }) => ({
      code,
      name,
      cardPaymentsEnabled: cardPaymentsEnabled ?? true,
      mainCurrencyCode,
      supportedAssets: supportedAssets ?? null,
    })),
  );
}
