/** Amounts: whole units in the unified parameters, accounting format in `fiatValue` (spec §2.11). */
import { assetIdentifier } from '../../domain/asset.ts';
import { majorToMinor, minorToMajor, minorUnitDigits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { AssetTerms } from '../../domain/reference.ts';
import { isAssetIdentifier } from '../assets.ts';
import { SIDES, type Side } from '../flows.ts';
import { type WidgetProblem, widgetProblem } from '../problems.ts';
import { type CheckInput, checkOf, textOf, type WidgetCheckRule } from './input.ts';

const UNITS = /^(0|[1-9]\d*)$/;
const DECIMAL = /^\d+(\.\d+)?$/;
/** No purchase below this was seen in any deployment; in whole EUR, and near enough for what is only a hint. */
const SMALLEST_PURCHASE = Decimal.of(6n);

interface Amount {
  name: 'inAssetValue' | 'outAssetValue' | 'swapAmount';
  text: string;
  side: Side;
  /** The currency or asset it is an amount of; null where none is named. */
  of: string | null;
}

/**
 * The three amounts in units. Each gets at most one problem: an unreadable amount gets no other.
 */
export const unitAmounts: WidgetCheckRule = (input) =>
  amountsOf(input).flatMap((amount): (WidgetProblem | null)[] => {
    if (!DECIMAL.test(amount.text)) return [invalid(amount.name, amount.text)];
    if (!UNITS.test(amount.text)) return [notUnits(amount, input)];
    if (amount.text === '0') return [zero(amount.name)];
    return [looksMajor(amount, input), withoutAsset(amount)];
  });

function amountsOf(input: CheckInput): Amount[] {
  const amount = (name: Amount['name'], side: Side, of: string | null): Amount[] => {
    const text = textOf(input, name);
    return text === null ? [] : [{ name, text, side, of }];
  };
  const unified = (['inAsset', 'outAsset'] as const).flatMap((asset) => {
    const named = textOf(input, asset);
    // A named asset decides the side; a wrong flow is reported elsewhere.
    const side = named === null ? SIDES[input.flows.first][asset] : isFiat(named) ? 'fiat' : 'crypto';
    return amount(`${asset}Value`, side, named ?? impliedAsset(side, input));
  });
  return [...unified, ...amount('swapAmount', 'crypto', impliedAsset('crypto', input))];
}

const isFiat = (code: string) => minorUnitDigits(code) !== undefined;

/** What an amount is of where nothing selects it: a deprecated parameter does, or a list with one item only. */
function impliedAsset(side: Side, input: CheckInput): string | null {
  const legacy = textOf(input, side === 'fiat' ? 'fiatCurrency' : 'defaultAsset');
  if (legacy !== null || side === 'fiat') return legacy;
  const list = textOf(input, 'enabledCryptoAssets') ?? textOf(input, 'swapAsset');
  return list !== null && isAssetIdentifier(list) ? list : null;
}

function invalid(name: string, text: string): WidgetProblem {
  return widgetProblem('AMOUNT_INVALID', name, text, {
    message: 'this is not a positive number',
    remedy: 'Write digits only: no sign, no exponent, no thousands separator, no currency.',
  });
}

function zero(name: string): WidgetProblem {
  return widgetProblem('AMOUNT_INVALID', name, '0', {
    message: 'an amount of nothing cannot be bought or sold',
    remedy: 'Leave it out, and the user chooses.',
  });
}

function notUnits(amount: Amount, { context }: CheckInput): WidgetProblem {
  const units = unitsOf(amount, context.assets);
  const kind = amount.side === 'fiat' ? 'minor units' : 'the smallest units of the asset';
  return widgetProblem('AMOUNT_NOT_UNITS', amount.name, amount.text, {
    message: `amounts here are whole ${kind}, without decimals or leading zeros`,
    remedy: units === null ? `Convert it to ${kind}.` : `Write ${units}, if ${amount.text} ${amount.of} is meant.`,
  });
}

/** The amount read as whole coins or euros; null where the decimals are not known or not enough. */
function unitsOf({ text, side, of }: Amount, assets: readonly AssetTerms[] | undefined): string | null {
  if (of === null) return null;
  if (side === 'fiat') {
    const minor = majorToMinor(text, of);
    return minor.ok ? minor.text : null;
  }
  const decimals = assets?.find((asset) => assetIdentifier(asset) === of)?.decimals;
  if (decimals === undefined) return null;
  const units = Decimal.parse(text).times(Decimal.of(10n ** BigInt(decimals)));
  return units.rounded(0, 'down').equals(units) ? units.toString() : null;
}

/** `fiatValue=50` forwarded as `inAssetValue=50` means 0.50: a mistake that integrators have made. */
function looksMajor(amount: Amount, input: CheckInput): WidgetProblem | null {
  const smallest = amount.side === 'fiat' ? smallestFiat(amount, input) : smallestCrypto(amount, input);
  const copied = amount.side === 'fiat' && copiesFiatValue(amount, input);
  if (!copied && (smallest === null || Decimal.parse(amount.text).compare(smallest) >= 0)) return null;
  const means = meaning(amount, input);
  const units = unitsOf(amount, input.context.assets);
  return widgetProblem('AMOUNT_LOOKS_MAJOR', amount.name, amount.text, {
    message: `${amount.text} is in ${amount.side === 'fiat' ? 'minor units' : 'the smallest units'}${means}; more was probably meant`,
    remedy:
      units === null ? 'Convert the amount to units.' : `Write ${units}, if ${amount.text} ${amount.of} is meant.`,
  });
}

function meaning({ text, side, of }: Amount, { context }: CheckInput): string {
  if (of === null) return '';
  if (side === 'fiat') {
    const major = minorToMajor(text, of);
    return major.ok ? ` and means ${major.text} ${of}` : '';
  }
  const asset = context.assets?.find((each) => assetIdentifier(each) === of);
  return asset === undefined ? '' : ` and means ${Decimal.of(BigInt(text), asset.decimals)} ${of}`;
}

/** Where minor units are whole anyway (JPY) the two notations are one. Without a currency two decimals are assumed. */
function smallestFiat({ of }: Amount, { context }: CheckInput): Decimal | null {
  const digits = of === null ? 2 : (minorUnitDigits(of) ?? 0);
  if (digits === 0) return null;
  const published = context.limits?.currencyCode === of ? context.limits?.minPurchaseAmount : null;
  return (published ?? SMALLEST_PURCHASE).times(Decimal.of(10n ** BigInt(digits)));
}

/** The published minimum; else what is worth nothing on any chain: under a thousand units, or a billionth of a coin. */
function smallestCrypto({ of }: Amount, { context }: CheckInput): Decimal {
  const asset = context.assets?.find((each) => assetIdentifier(each) === of);
  if (asset?.minPurchaseCryptoUnits != null) return Decimal.of(asset.minPurchaseCryptoUnits);
  const billionth = asset !== undefined && asset.decimals > 12 ? 10n ** BigInt(asset.decimals - 9) : 1000n;
  return Decimal.of(billionth);
}

function copiesFiatValue({ text, of }: Amount, input: CheckInput): boolean {
  const major = textOf(input, 'fiatValue');
  if (major === null || !DECIMAL.test(major) || (of !== null && minorUnitDigits(of) === 0)) return false;
  return Decimal.parse(major).equals(Decimal.parse(text));
}

/** `swapAmount` was always of the asset that the user chose. */
function withoutAsset({ name, text, of }: Amount): WidgetProblem | null {
  if (of !== null || name === 'swapAmount') return null;
  const asset = name === 'inAssetValue' ? 'inAsset' : 'outAsset';
  return widgetProblem('AMOUNT_WITHOUT_ASSET', name, text, {
    message: `${asset} is not set, so the unit of this amount is unknown`,
    remedy: `Set ${asset}.`,
  });
}

/** A quote takes one of the two (spec §2.6); the specification does not say which one the widget uses. */
export const bothAmounts = checkOf('outAssetValue', (outgoing, input) => {
  if (textOf(input, 'inAssetValue') === null) return null;
  return widgetProblem('AMOUNT_ON_BOTH_SIDES', 'outAssetValue', outgoing, {
    message:
      'inAssetValue and outAssetValue are both set; the price decides one of them, and which one is not promised',
    remedy: 'Leave one out.',
  });
});

/** The one amount in accounting format. It never meant anything without its currency. */
export const fiatValue = checkOf('fiatValue', (text, input) => {
  const currency = textOf(input, 'fiatCurrency');
  if (currency !== null) return wrongFiat(text, currency);
  const without = widgetProblem('FIAT_VALUE_WITHOUT_CURRENCY', 'fiatValue', text, {
    message: 'fiatValue is not supported without fiatCurrency',
    remedy: 'Set fiatCurrency too; or better inAsset and inAssetValue.',
  });
  return [without, wrongFiat(text, currency)];
});

function wrongFiat(text: string, currency: string | null): WidgetProblem | null {
  if (!DECIMAL.test(text)) return invalid('fiatValue', text);
  if (Decimal.parse(text).isZero) return zero('fiatValue');
  const minor = currency === null ? null : majorToMinor(text, currency);
  if (currency === null || minor?.ok !== false || minor.reason !== 'too-precise') return null;
  return widgetProblem('AMOUNT_TOO_PRECISE', 'fiatValue', text, {
    message: `${currency} has ${minorUnitDigits(currency)} digits after the point`,
    remedy: 'Round it; how the Service rounds is not promised.',
  });
}
