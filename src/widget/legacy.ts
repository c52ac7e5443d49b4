/** Which present parameter a deprecated one became, by flow (spec §2.11, rules for the unified parameters). */
import type { Flow, WidgetParameterName } from './parameters.ts';

/** The deprecated parameters whose successor depends on the flow: what was bought or paid is now out or in. */
const BY_FLOW: Readonly<Record<'ONRAMP' | 'OFFRAMP', ReadonlyMap<WidgetParameterName, WidgetParameterName>>> = {
  ONRAMP: new Map([
    ['fiatCurrency', 'inAsset'],
    ['defaultAsset', 'outAsset'],
    ['fiatValue', 'inAssetValue'],
    ['swapAmount', 'outAssetValue'],
  ]),
  OFFRAMP: new Map([
    ['fiatCurrency', 'outAsset'],
    ['defaultAsset', 'inAsset'],
    ['fiatValue', 'outAssetValue'],
    ['swapAmount', 'inAssetValue'],
  ]),
};

/** Null for a present parameter, and where nothing is known to replace it: SWAP never had the old parameters. */
export function legacySuccessor(name: WidgetParameterName, flow: Flow): WidgetParameterName | null {
  if (name === 'swapAsset' || name === 'offrampAsset') return 'enabledCryptoAssets';
  return flow === 'SWAP' ? null : (BY_FLOW[flow].get(name) ?? null);
}
