/** Which flows a configuration enables, and which one it shows first (spec §2.11). */
import { given, listItems, type RawWidgetConfig, valueText } from './config.ts';
import { FLOWS, type Flow } from './parameters.ts';

export interface FlowsInForce {
  /** Never empty; a `defaultFlow` outside the enabled ones is counted in, so that its mistake is told once. */
  enabled: readonly Flow[];
  first: Flow;
}

export function isFlow(text: string): text is Flow {
  return FLOWS.some((flow) => flow === text);
}

/** `enabledFlows` defaults to ONRAMP; without `defaultFlow` the first enabled flow is it. Unknown values are passed over. */
export function flowsInForce(config: RawWidgetConfig): FlowsInForce {
  const listed = listItems(given(config, 'enabledFlows')).filter(isFlow);
  const named = valueText(given(config, 'defaultFlow')) ?? '';
  const first = isFlow(named) ? named : (listed[0] ?? 'ONRAMP');
  const enabled: readonly Flow[] = listed.length > 0 ? listed : ['ONRAMP'];
  return { enabled: enabled.includes(first) ? enabled : [first, ...enabled], first };
}

export type Side = 'fiat' | 'crypto';

/** What a flow's incoming and outgoing asset is. */
export const SIDES: Readonly<Record<Flow, Readonly<Record<'inAsset' | 'outAsset', Side>>>> = {
  ONRAMP: { inAsset: 'fiat', outAsset: 'crypto' },
  OFFRAMP: { inAsset: 'crypto', outAsset: 'fiat' },
  SWAP: { inAsset: 'crypto', outAsset: 'crypto' },
};
