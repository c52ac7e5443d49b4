/**
 * The settings of deliveries. Apart from the witnesses of chains, whose libraries a command without chains does not
 * load.
 */
import type { Settings } from '../../config/settings.ts';
import type { DeliveryTerms } from '../domain/delivery.ts';

/** Null without chains: then nothing is asked, and the rules on deliveries do not apply. */
export function deliveryTermsOf({ evidence }: Settings): DeliveryTerms | null {
  if (evidence.chains.length === 0) return null;
  return {
    chains: evidence.chains.map(({ chain }) => chain),
    within: Object.fromEntries([...evidence.deliveredWithin].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
