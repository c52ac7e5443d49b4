/** A widget configuration as integrators write it (spec §2.11), and the one way in which its values become text. */
import { type Flow, parameterOf, type Variant } from './parameters.ts';

/**
 * The typed form, for code that builds configurations. Amounts are text, as no number of JavaScript holds every amount of
 * wei. Null and empty values count as left out. `containerNode` is a DOM node, whose type Node does not know.
 */
export type WidgetConfig = {
  hostLogoUrl?: string | null;
  hostAppName?: string | null;
  hostApiKey?: string | null;
  enabledFlows?: readonly Flow[] | null;
  defaultFlow?: Flow | null;
  userAddress?: string | null;
  userEmailAddress?: string | null;
  selectedCountryCode?: string | null;
  enabledCryptoAssets?: string | readonly string[] | null;
  inAsset?: string | null;
  outAsset?: string | null;
  inAssetValue?: string | null;
  outAssetValue?: string | null;
  url?: string | null;
  webhookStatusUrl?: string | null;
  offrampWebhookV3Url?: string | null;
  finalUrl?: string | null;
  successUrl?: string | null;
  failureUrl?: string | null;
  useSendCryptoCallback?: boolean | null;
  variant?: Variant | null;
  paymentMethodType?: string | null;
  containerNode?: object | null;
  hideExitButton?: boolean | null;
  /** @deprecated use `enabledCryptoAssets` */
  swapAsset?: string | readonly string[] | null;
  /** @deprecated use `enabledCryptoAssets` */
  offrampAsset?: string | readonly string[] | null;
  /** @deprecated use `outAssetValue` (ONRAMP) or `inAssetValue` (OFFRAMP) */
  swapAmount?: string | number | bigint | null;
  /** @deprecated use `inAsset` (ONRAMP) or `outAsset` (OFFRAMP) */
  fiatCurrency?: string | null;
  /** @deprecated use `inAssetValue` (ONRAMP) or `outAssetValue` (OFFRAMP), in minor units */
  fiatValue?: string | number | null;
  /** @deprecated use `outAsset` (ONRAMP) or `inAsset` (OFFRAMP) */
  defaultAsset?: string | null;
};

/** As it comes from a file, a URL or a caller in JavaScript: any name, any value. A `WidgetConfig` is one. */
export type RawWidgetConfig = Readonly<Record<string, unknown>>;

/** True for what is left out of a URL: null, undefined, an empty text, an empty list. */
export function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The value under its own name; never what an object inherits. */
export function given(config: RawWidgetConfig, name: string): unknown {
  return Object.hasOwn(config, name) ? config[name] : undefined;
}

/**
 * The text that a value has in a URL, lists joined by commas; null where it is left out; undefined where it has none
 * (objects, functions, NaN). Numbers are written without an exponent.
 */
export function valueText(value: unknown): string | null | undefined {
  if (isLeftOut(value)) return null;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (!Array.isArray(value)) return undefined;
  // One level: a list within a list is no value of any parameter, and one that holds itself would never end.
  const items = value.map((item) => (Array.isArray(item) ? undefined : valueText(item)));
  return items.some((item) => item === undefined) ? undefined : items.filter((item) => item !== null).join(',') || null;
}

/** `1e21` is no amount for a reader that expects digits. Where digits were lost already, there is no text. */
function numberText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value)) return Number.isSafeInteger(value) ? String(value) : undefined;
  const text = String(value);
  return text.includes('e') ? undefined : text;
}

/** Items of a comma-joined or real list, as written; none for a value that is left out or no list. */
export function listItems(value: unknown): readonly string[] {
  const text = valueText(value);
  return text === null || text === undefined ? [] : text.split(',');
}

/** A text from a URL or a file in the parameter's own type, where that is a list or a boolean; all else stays text. */
export function typedValue(name: string, text: string): string | boolean | readonly string[] {
  const type = parameterOf(name)?.type;
  if (type === 'flow-list') return text.split(',');
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
