import { showInstant } from '../domain/record.ts';
import { deliveryRule, showTransaction } from './delivery-rule.ts';

export const deliveryNotFinal = deliveryRule('NOT_FINAL', {
  severity: 'medium',
  title: 'Sent, and still not final when it was due',
  why: 'A transaction in no final block can still disappear; the record calls it done.',
  action:
    'Look at the transaction on the chain. One that stays in no block was sent at too low a price and must be replaced.',
  example:
    'The ETH transaction 0x5c50… was due by 2026-11-01 16:20 UTC and is in no block yet: it can still disappear.',
  find: (delivery) => ({
    expected: 'final',
    actual: delivery.sighting?.seen === 'pending' ? 'pending' : 'in a block',
    explanation:
      `The ${showTransaction(delivery)} was due by ${showInstant(delivery.due)} ` +
      `and is ${delivery.reason ?? 'not final'}: it can still disappear.`,
  }),
});
