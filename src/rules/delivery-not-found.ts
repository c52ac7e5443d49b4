import { showInstant } from '../domain/record.ts';
import { deliveryRule, nothingArrived, showTokens } from './delivery-rule.ts';

/** Only where every endpoint that was heard has the history of that time; a lagging or a pruned one cannot say it. */
export const deliveryNotFound = deliveryRule('NOT_FOUND', {
  severity: 'critical',
  title: 'No endpoint of the chain knows the transaction',
  why: 'The Service says that the crypto was sent, and the chain has no such transaction.',
  action:
    'Ask the Service for the transaction that delivered, and tell the user meanwhile that it is being looked for.',
  example:
    'Released on 2026-11-01 10:20 UTC with ETH transaction 0x5c50…, which 2 endpoints do not know: 0.04 ETH_ETH cannot be shown to have been sent.',
  find: (delivery, { kind }) => ({
    ...nothingArrived(delivery),
    explanation:
      `${kind === 'sale' ? 'The sale names' : `Released on ${showInstant(delivery.releasedAt)} with`} ${delivery.chain} transaction ` +
      `${delivery.txHash}, which ${delivery.sighting?.witnesses ?? 0} endpoints do not know: ` +
      `${showTokens(delivery.expectedUnits, delivery)} cannot be shown to have been ${kind === 'sale' ? 'deposited' : 'sent'}.`,
  }),
});
