/** Asset identifiers, currencies and lists of them (spec §2.11). */
import { assetIdentifier } from '../../domain/asset.ts';
import { minorUnitDigits } from '../../domain/currency.ts';
import type { AssetTerms } from '../../domain/reference.ts';
import { nearestName } from '../../text/nearest-name.ts';
import { chainOf, identifierOfSymbol, isAssetIdentifier, isChainWildcard, listCovers } from '../assets.ts';
import { given, listItems } from '../config.ts';
import { SIDES } from '../flows.ts';
import { PARAMETERS, type WidgetParameter } from '../parameters.ts';
import { type WidgetProblem, widgetProblem } from '../problems.ts';
import { type CheckInput, textOf, type WidgetCheckRule } from './input.ts';

/**
 * Lists of assets and of flows, item by item. The specification does not define gaps and repetitions, so both are
 * reported although they are probably harmless.
 */
export const assetLists: WidgetCheckRule = (input) =>
  PARAMETERS.filter(({ type }) => type === 'asset-list' || type === 'flow-list').flatMap((parameter) => {
    const items = listItems(given(input.config, parameter.name));
    const named = items.filter((item) => item.trim() !== '');
    const gap = widgetProblem('LIST_ITEM_EMPTY', parameter.name, items.join(','), {
      message: 'there is nothing between two commas, or at an end',
      remedy: `Write ${named.join(',')}.`,
    });
    const repeated = [...new Set(named.filter((each, index) => named.indexOf(each) !== index))].map((item) =>
      widgetProblem('LIST_ITEM_REPEATED', parameter.name, item, {
        message: `${item} stands in the list more than once`,
        remedy: 'Name it once.',
      }),
    );
    const assets = parameter.type === 'flow-list' ? [] : [...new Set(named)];
    return [
      named.length < items.length ? gap : null,
      ...repeated,
      ...assets.map((item) => assetProblem(parameter, item, input)),
    ];
  });

/**
 * The selected assets and currencies: their form, their side, and whether they are enabled. An unknown asset gets no
 * second problem about its side.
 */
export const selectedAssets: WidgetCheckRule = (input) =>
  PARAMETERS.flatMap((parameter): (WidgetProblem | null)[] => {
    const text = textOf(input, parameter.name);
    if (text === null) return [];
    if (parameter.type === 'currency') return [currencyProblem(parameter, text)];
    if (parameter.type === 'asset') return [assetProblem(parameter, text, input) ?? notEnabled(parameter, text, input)];
    if (parameter.type !== 'asset-or-currency') return [];
    if (minorUnitDigits(text) !== undefined) return [sideProblem(parameter, text, 'fiat', input)];
    const wrong = assetProblem(parameter, text, input);
    if (wrong !== null && wrong.code !== 'ASSET_UNKNOWN') return [wrong];
    return [wrong, sideProblem(parameter, text, 'crypto', input) ?? notEnabled(parameter, text, input)];
  });

/**
 * A new parameter must have the chain; a deprecated one may have the bare symbol that it had in its day. Without an assets
 * response any chain and symbol may exist.
 */
function assetProblem(parameter: WidgetParameter, item: string, { context }: CheckInput): WidgetProblem | null {
  const { name, type } = parameter;
  if (isChainWildcard(item)) {
    if (type === 'asset-list') return context.assets === undefined ? null : unknownAsset(name, item, context.assets);
    return widgetProblem('ASSET_WILDCARD', name, item, {
      message: `${name} is one asset, and ${item} stands for a whole chain`,
      remedy: 'Name the asset.',
    });
  }
  if (isAssetIdentifier(item)) return context.assets === undefined ? null : unknownAsset(name, item, context.assets);
  const meant = meantAsset(item, context.assets);
  if (parameter.replacedBy !== null && /^[A-Z0-9.]+$/.test(item)) {
    return widgetProblem('ASSET_OLD_FORM', name, item, {
      message: `${item} is a bare symbol, as the first version of the API had them`,
      remedy: `Write <CHAIN>_<SYMBOL>${meant === undefined ? '' : `, probably ${meant}`}.`,
    });
  }
  const currency = type === 'asset-or-currency' ? ', or a currency code of ISO 4217' : '';
  return widgetProblem('ASSET_INVALID', name, item, {
    message: `this is not an asset identifier <CHAIN>_<SYMBOL>${currency}`,
    remedy: `Write ${meant ?? 'it as in ETH_USDC'}.`,
  });
}

/** Tries trimming, upper case and the other separators that people use. */
function meantAsset(item: string, assets: readonly AssetTerms[] | undefined): string | undefined {
  const tidy = item
    .trim()
    .toUpperCase()
    .replace(/[-:/.\s]+/g, '_');
  if (isAssetIdentifier(tidy) || isChainWildcard(tidy) || minorUnitDigits(tidy) !== undefined) return tidy;
  return assets === undefined ? undefined : identifierOfSymbol(tidy, assets);
}

/** A warning only: a response is of one time, one place (`userIp`) and one direction. */
function unknownAsset(name: string, item: string, assets: readonly AssetTerms[]): WidgetProblem | null {
  const enabled = assets.filter((asset) => asset.enabled);
  const offered = enabled.map(assetIdentifier);
  if (isChainWildcard(item) ? enabled.some(({ chain }) => chain === chainOf(item)) : offered.includes(item))
    return null;
  const known = assets.some((asset) => assetIdentifier(asset) === item);
  const meant = nearestName(item, isChainWildcard(item) ? enabled.map(({ chain }) => `${chain}_*`) : offered);
  return widgetProblem('ASSET_UNKNOWN', name, item, {
    message: known ? `${item} is not enabled at present` : `the assets response has no ${item}`,
    remedy: known || meant === undefined ? 'Remove it, or choose another asset.' : `Write ${meant}, if that is meant.`,
  });
}

function currencyProblem({ name }: WidgetParameter, text: string): WidgetProblem | null {
  if (minorUnitDigits(text) !== undefined) return null;
  const upper = text.trim().toUpperCase();
  return widgetProblem('CURRENCY_UNKNOWN', name, text, {
    message: 'this is not a currency code of ISO 4217',
    remedy: minorUnitDigits(upper) === undefined ? 'Write the three letters, such as EUR.' : `Write ${upper}.`,
  });
}

/** In and out belong to the flow that is shown first; where another one is enabled, they may have been meant for that. */
function sideProblem(
  { name }: WidgetParameter,
  text: string,
  side: 'fiat' | 'crypto',
  { flows }: CheckInput,
): WidgetProblem | null {
  if (name !== 'inAsset' && name !== 'outAsset') return null;
  if (SIDES[flows.first][name] === side) return null;
  const wanted = side === 'fiat' ? 'a crypto asset' : 'a fiat currency';
  const fitting = flows.enabled.find((flow) => SIDES[flow][name] === side);
  const other = name === 'inAsset' ? 'outAsset' : 'inAsset';
  const message = `for ${flows.first} ${name} is ${wanted}, and ${text} is not`;
  if (fitting === undefined) {
    return widgetProblem('ASSET_SIDE', name, text, {
      message,
      remedy: `Put ${text} into ${other}, or change the flow.`,
    });
  }
  return widgetProblem('ASSET_SIDE_OTHER_FLOW', name, text, {
    message: `${message}; it fits ${fitting}, which is enabled but not shown first`,
    remedy: `Set defaultFlow to ${fitting}, or put ${text} into ${other}.`,
  });
}

/** All lists together, as the deprecated ones are still accepted. */
function notEnabled({ name }: WidgetParameter, text: string, { config }: CheckInput): WidgetProblem | null {
  const lists = ['enabledCryptoAssets', 'swapAsset', 'offrampAsset'] as const;
  const items = lists.flatMap((list) => listItems(given(config, list))).filter((item) => item.trim() !== '');
  if (items.length === 0 || !isAssetIdentifier(text) || listCovers(items, text)) return null;
  return widgetProblem('ASSET_NOT_ENABLED', name, text, {
    message: `${text} is not among the enabled assets ${items.join(', ')}`,
    remedy: `Add ${text} to enabledCryptoAssets, or select one of them.`,
  });
}

/** The Service lists the currencies of each flow (spec §2.5). */
export const currenciesOffered: WidgetCheckRule = (input) => {
  const { currencies } = input.context;
  if (currencies === undefined) return null;
  return (['inAsset', 'outAsset', 'fiatCurrency'] as const).flatMap((name) => {
    const code = textOf(input, name);
    if (code === null || minorUnitDigits(code) === undefined) return [];
    const listed = currencies.find((currency) => currency.code === code);
    const usable = input.flows.enabled.some(
      (flow) => (flow === 'ONRAMP' && listed?.onramp) || (flow === 'OFFRAMP' && listed?.offramp),
    );
    if (usable) return [];
    return widgetProblem('CURRENCY_UNAVAILABLE', name, code, {
      message: `the Service does not offer ${code} for ${input.flows.enabled.join(', ')}`,
      remedy: 'Choose a currency that it lists; the user would be shown another one.',
    });
  });
};
