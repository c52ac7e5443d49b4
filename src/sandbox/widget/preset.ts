/** The initial values of the form: from the new parameters, else from the deprecated ones (spec §2.11). */

import { findAsset, identifierOf } from '../assets-catalogue.ts';
import type { CatalogueAsset } from '../catalogue-asset.ts';
import { findCountry, isUsedIn } from '../countries.ts';
import { findCurrency } from '../currencies.ts';
import { type Direction, methodsOf } from '../methods.ts';
import type { Choices, Preset } from '../schemas/widget.ts';
import { fiatDigits, isPayable, unitsToTyped } from './amounts.ts';
import { listParameter } from './choices.ts';
import type { Parameters } from './parameters.ts';

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
  const currency = readCurrency(parameters, `${fiatSide}Asset`, direction, country) ?? currencyOf(country, direction);
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

/** A currency that cannot be used gives way to the country's own. */
function currencyOf(country: string | null, direction: Direction): string | null {
  const code = country === null ? undefined : findCountry(country)?.currency;
  return code !== undefined && findCurrency(code)?.[direction] === true ? code : null;
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
