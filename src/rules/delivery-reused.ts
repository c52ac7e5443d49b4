import { deliveryRule, nothingArrived, showTokens, showTransaction } from './delivery-rule.ts';

/** One transaction may pay many records, each by an output of its own; the oldest record has the first claim. */
export const deliveryReused = deliveryRule('REUSED', {
  severity: 'critical',
  title: "Another record's delivery is named as this one's",
  why: 'One payment on the chain stands for two records: one of the two users has received nothing.',
  action: 'Ask the Service for the transaction of this record; the other one keeps it.',
  example:
    'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) pays 0.04 ETH_ETH to the address once, and that is the delivery of purchase sqs6a428mqjtzbv.',
  find: (delivery) => {
    const owner = delivery.claimedBy;
    return {
      ...nothingArrived(delivery),
      explanation:
        `The ${showTransaction(delivery)} pays ${showTokens(delivery.expectedUnits, delivery)} to the address once, and that is the ` +
        `delivery of ${owner === null ? 'another record' : `${owner.kind} ${owner.recordId}`}.`,
    };
  },
});
