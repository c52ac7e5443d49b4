import { deliveryRule, nothingArrived, showTokens, showTransaction } from './delivery-rule.ts';

export const deliveryReverted = deliveryRule('REVERTED', {
  severity: 'critical',
  title: 'The transaction failed on the chain',
  why: 'A failed transaction moves nothing: the user has not received the crypto that the record calls released.',
  action: 'Ask the Service to send the crypto again and to name the new transaction.',
  example:
    'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) failed on the chain: nothing of 0.04 ETH_ETH was delivered.',
  find: (delivery) => ({
    ...nothingArrived(delivery),
    explanation:
      `The ${showTransaction(delivery)} failed on the chain: nothing of ` +
      `${showTokens(delivery.expectedUnits, delivery)} was delivered.`,
  }),
});
