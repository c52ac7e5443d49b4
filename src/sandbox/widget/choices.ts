/** The choices of a user, for one direction. */
import { drawAddress } from '../addresses.ts';
import { ASSETS, findAsset, identifierOf } from '../assets-catalogue.ts';
import type { CatalogueAsset } from '../catalogue-asset.ts';
import { CURRENCIES } from '../currencies.ts';
import { type Direction, supportedMethods } from '../methods.ts';
import { Draws, hashText } from '../random.ts';
import { OUTCOMES } from '../schemas/control.ts';
import type { Choices } from '../schemas/widget.ts';
import { OUTCOME_NAMES } from './amounts.ts';
import type { Parameters } from './parameters.ts';

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
