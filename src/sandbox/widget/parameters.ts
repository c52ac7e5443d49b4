/** Reading the widget's parameters as the hosted page does (spec §2.11): by name, first value, empty means left out. */

import { drawAddress } from '../addresses.ts';
import { ASSETS, type CatalogueAsset, findAsset, identifierOf } from '../assets-catalogue.ts';
import {
  CURRENCIES,
  type Direction,
  findCountry,
  findCurrency,
  isUsedIn,
  methodsOf,
  supportedMethods,
} from '../payment-tables.ts';
import { Draws, hashText } from '../random.ts';
import { OUTCOMES } from '../schemas/control.ts';
import type { Choices, Preset } from '../schemas/widget.ts';
import { fiatDigits, isPayable, OUTCOME_NAMES, unitsToTyped } from './quote.ts';

/** Collects `problems`, which stop the widget, and `warnings`, which do not. */
export interface Findings {
  problems: string[];
  warnings: string[];
}

const KNOWN: ReadonlySet<string> = new Set([
  ...(
    'hostLogoUrl hostAppName hostApiKey enabledFlows defaultFlow userAddress userEmailAddress ' +
    'selectedCountryCode enabledCryptoAssets inAsset outAsset inAssetValue outAssetValue url webhookStatusUrl ' +
    'offrampWebhookV3Url finalUrl successUrl failureUrl useSendCryptoCallback variant paymentMethodType ' +
    'containerNode hideExitButton swapAsset offrampAsset swapAmount fiatCurrency fiatValue defaultAsset'
  ).split(' '),
  // Not among the configuration: the SDK tells its widgets apart by it, and events repeat it (field facts).
  'widgetInstanceId',
]);

const VARIANTS: ReadonlySet<string> = new Set(
  'auto hosted desktop mobile hosted-mobile webview-desktop webview-mobile embedded-mobile embedded-desktop'.split(' '),
);

export class Parameters {
  readonly #values = new Map<string, string>();
  readonly findings: Findings;

  /** @param query what follows `?`, with or without it. */
  constructor(query: string, findings: Findings) {
    this.findings = findings;
    for (const [name, value] of new URLSearchParams(query)) {
      if (!KNOWN.has(name)) this.warn(`${name} is no parameter of the widget`);
      else if (value !== '' && !this.#values.has(name)) this.#values.set(name, value);
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  list(name: string): readonly string[] | undefined {
    const items = this.get(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return items === undefined || items.length === 0 ? undefined : items;
  }

  /** Leaves a parameter out, and says why. */
  drop(name: string, why: string): void {
    if (this.#values.delete(name)) this.warn(`${name} ${why}`);
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (value !== undefined && value !== 'true' && value !== 'false') this.warn(`${name} must be true or false`);
    return value === 'true';
  }

  variant(): string {
    const value = this.get('variant') ?? 'auto';
    if (VARIANTS.has(value)) return value;
    this.warn(`there is no variant ${value}`);
    return 'auto';
  }

  warn(text: string): void {
    this.findings.warnings.push(text);
  }

  problem(text: string): void {
    this.findings.problems.push(text);
  }
}

// The choices of a user, for one direction.

const STREAM = 43;

export function choicesFor(parameters: Parameters, direction: Direction): Choices {
  const currencies = CURRENCIES.filter((each) => each[direction] && supportedMethods(direction, each.code).length > 0);
  return {
    assets: allowedAssets(parameters, direction).map((asset) => ({
      id: identifierOf(asset),
      name: `${asset.name} (${asset.symbol} on ${asset.chain})`,
      symbol: asset.symbol,
      // A made-up address of the right form: a sandbox sends nothing, and a tester needs no real one.
      testAddress: drawAddress(new Draws(hashText(asset.chain), 0, STREAM), asset.chain),
    })),
    currencies: currencies.map(({ code, name }) => ({ code, name })),
    outcomes: OUTCOMES[direction === 'onramp' ? 'purchase' : 'sale'].map((value) => ({
      value,
      name: OUTCOME_NAMES[value],
    })),
  };
}

/** In the order of the list: its first item is the default selection (spec §2.11). Blank means all. */
function allowedAssets(parameters: Parameters, direction: Direction): readonly CatalogueAsset[] {
  const offered = ASSETS.filter(
    ({ enabled, hidden, offramp }) => enabled && !hidden && (direction === 'onramp' || offramp),
  );
  const name = listParameter(parameters, direction);
  const wanted = name === null ? undefined : parameters.list(name);
  if (name === null || wanted === undefined) return offered;
  const chosen = new Set<CatalogueAsset>();
  for (const item of wanted) {
    const matching = item.endsWith('_*')
      ? offered.filter(({ chain }) => chain === item.slice(0, -2))
      : offered.filter((asset) => asset === findAsset(item));
    if (matching.length === 0) parameters.warn(`${name}: there is no asset ${item} here`);
    for (const asset of matching) chosen.add(asset);
  }
  if (chosen.size === 0) parameters.problem(`${name} leaves no asset to choose from`);
  return [...chosen];
}

/** The new parameter wins over the deprecated ones; `offrampAsset` is the off-ramp's own `swapAsset`. */
export function listParameter(parameters: Parameters, direction: Direction): string | null {
  const names =
    direction === 'onramp'
      ? ['enabledCryptoAssets', 'swapAsset']
      : ['enabledCryptoAssets', 'offrampAsset', 'swapAsset'];
  return names.find((name) => parameters.list(name) !== undefined) ?? null;
}

// The initial values of the form: from the new parameters, else from the deprecated ones (spec §2.11).

type Side = 'in' | 'out';

/** Deprecated names of payment methods (spec §2.11). */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['PISP', 'AUTO_BANK_TRANSFER'],
  ['OPEN_BANKING', 'AUTO_BANK_TRANSFER'],
  ['SEPA', 'MANUAL_BANK_TRANSFER'],
  ['APPLEPAY', 'APPLE_PAY'],
  ['GOOGLEPAY', 'GOOGLE_PAY'],
  ['CARD', 'CARD_PAYMENT'],
]);

/**
 * @param direction of the flow that is shown first: what comes in and goes out is said of that one.
 * @param choices what the form offers: it begins with the first where nothing else is named.
 */
export function readPreset(
  parameters: Parameters,
  direction: Direction,
  country: string | null,
  choices: Choices | undefined,
): Preset {
  const buying = direction === 'onramp';
  const [fiatSide, cryptoSide] = buying ? (['in', 'out'] as const) : (['out', 'in'] as const);
  const asset = readAsset(parameters, `${cryptoSide}Asset`, choices);
  // A currency that cannot be used gives way to the country's own.
  const own = findCountry(country ?? '')?.currency ?? '';
  const fallback = findCurrency(own)?.[direction] === true ? own : null;
  const currency = readCurrency(parameters, `${fiatSide}Asset`, direction, country) ?? fallback;
  const fiat = readFiat(parameters, fiatSide, currency ?? choices?.currencies[0]?.code ?? 'EUR');
  const crypto = readCrypto(parameters, cryptoSide, asset, choices);
  return {
    asset: asset === null ? null : identifierOf(asset),
    currency,
    amount: fiat ?? crypto,
    unit: fiat === null && crypto !== null ? 'crypto' : 'fiat',
    // On-ramp only.
    method: buying ? readMethod(parameters) : null,
    country,
  };
}

export function readCountry(parameters: Parameters): string | null {
  const code = parameters.get('selectedCountryCode');
  if (code === undefined) return null;
  const found = findCountry(code);
  if (found === undefined) parameters.warn(`selectedCountryCode: ${code} is no country of this Service`);
  return found?.code ?? null;
}

function readMethod(parameters: Parameters): string | null {
  const given = parameters.get('paymentMethodType');
  if (given === undefined) return null;
  const name = METHODS.get(given) ?? given;
  if (methodsOf('onramp').some((each) => each.name === name)) return name;
  parameters.warn(`paymentMethodType: there is no payment method ${given}`);
  return null;
}

/** Null where none is named, or one that the form does not offer. */
function readAsset(parameters: Parameters, name: string, choices: Choices | undefined): CatalogueAsset | null {
  const text = parameters.get(name) ?? parameters.get('defaultAsset');
  if (text === undefined) return null;
  const shown = parameters.get(name) === undefined ? 'defaultAsset' : name;
  const found = findAsset(text);
  if (found === undefined) {
    parameters.warn(`${shown}: there is no asset ${text}`);
    return null;
  }
  if (choices === undefined || choices.assets.some(({ id }) => id === identifierOf(found))) return found;
  parameters.warn(`${shown}: ${text} is not offered here`);
  return null;
}

function readCurrency(
  parameters: Parameters,
  name: string,
  direction: Direction,
  country: string | null,
): string | null {
  const own = parameters.get(name);
  const code = own ?? parameters.get('fiatCurrency');
  if (code === undefined) return null;
  const shown = own === undefined ? 'fiatCurrency' : name;
  if (findCurrency(code)?.[direction] !== true) {
    parameters.warn(`${shown}: ${code} cannot be used here`);
    return null;
  }
  // Spec §2.11: an unsupported `fiatCurrency` is replaced by the country's default without a warning.
  return own === undefined && country !== null && !isUsedIn(country, code) ? null : code;
}

/** New: minor units by ISO 4217. Deprecated: accounting format, and only together with its currency. */
function readFiat(parameters: Parameters, side: Side, currency: string): string | null {
  const name = `${side}AssetValue`;
  const units = parameters.get(name);
  const major = parameters.get('fiatValue');
  if (units === undefined && major === undefined) return null;
  if (units !== undefined) {
    const of = parameters.get(`${side}Asset`) ?? parameters.get('fiatCurrency') ?? currency;
    if (of !== currency) return ofAnother(parameters, name, of, currency);
    const typed = unitsToTyped(units, fiatDigits(currency));
    if (typed === null) parameters.warn(`${name} must be a whole number of minor units`);
    return typed;
  }
  const of = parameters.get('fiatCurrency');
  if (of === undefined) {
    parameters.warn('fiatValue is not used without fiatCurrency');
    return null;
  }
  if (of !== currency) return ofAnother(parameters, 'fiatValue', of, currency);
  if (major !== undefined && isPayable(major, currency)) return major;
  parameters.warn('fiatValue must be an amount such as 50.10');
  return null;
}

/** 50 BRL are not 50 PLN, and 1 BTC is not 1 ETH: no amount is taken over by another currency or asset. */
function ofAnother(parameters: Parameters, name: string, of: string, shown: string): null {
  parameters.warn(`${name} is an amount of ${of}, and the form begins with ${shown}`);
  return null;
}

function readCrypto(
  parameters: Parameters,
  side: Side,
  named: CatalogueAsset | null,
  choices: Choices | undefined,
): string | null {
  const name = `${side}AssetValue`;
  const given = parameters.get(name) === undefined ? 'swapAmount' : name;
  const units = parameters.get(given);
  if (units === undefined) return null;
  const first = choices?.assets[0]?.id;
  const of = parameters.get(`${side}Asset`) ?? parameters.get('defaultAsset');
  if (named === null && of !== undefined && first !== undefined) return ofAnother(parameters, given, of, first);
  // The first of a list is the default selection (spec §2.11); where all assets are offered, none is meant.
  const asset =
    named ??
    (listParameter(parameters, side === 'out' ? 'onramp' : 'offramp') !== null && first !== undefined
      ? (findAsset(first) ?? null)
      : null);
  if (asset === null) {
    parameters.warn(`${given} is not used without an asset that it is an amount of`);
    return null;
  }
  const typed = unitsToTyped(units, asset.decimals);
  if (typed === null) parameters.warn(`${given} must be a whole number of units`);
  return typed;
}
