/**
 * The enabled flows of a configuration, the first shown one, and the effect of each on the parameters (spec §2.11).
 */
import { given, listItems, type RawWidgetConfig, valueText } from './config.ts';
import { FLOWS, type Flow, type WidgetParameterName } from './parameters.ts';

export interface FlowsInForce {
  /** Never empty; a `defaultFlow` outside the enabled ones is counted in, so that its mistake is reported once. */
  enabled: readonly Flow[];
  first: Flow;
}

export function isFlow(text: string): text is Flow {
  return FLOWS.some((flow) => flow === text);
}

/**
 * `enabledFlows` defaults to ONRAMP; without `defaultFlow` the first enabled flow is it. Unknown values are ignored.
 */
export function flowsInForce(config: RawWidgetConfig): FlowsInForce {
  const listed = listItems(given(config, 'enabledFlows')).filter(isFlow);
  const named = valueText(given(config, 'defaultFlow')) ?? '';
  const first = isFlow(named) ? named : (listed[0] ?? 'ONRAMP');
  const enabled: readonly Flow[] = listed.length > 0 ? listed : ['ONRAMP'];
  return { enabled: enabled.includes(first) ? enabled : [first, ...enabled], first };
}

export type Side = 'fiat' | 'crypto';

/** The kinds of a flow's incoming and outgoing asset. */
export const SIDES: Readonly<Record<Flow, Readonly<Record<'inAsset' | 'outAsset', Side>>>> = {
  ONRAMP: { inAsset: 'fiat', outAsset: 'crypto' },
  OFFRAMP: { inAsset: 'crypto', outAsset: 'fiat' },
  SWAP: { inAsset: 'crypto', outAsset: 'crypto' },
};

/** The deprecated parameters whose successor depends on the flow: the asset bought or the sum paid is now `out…` or `in…`. */
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
