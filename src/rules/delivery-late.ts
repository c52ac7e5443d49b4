import { isoInstant, showInstant } from '../domain/record.ts';
import { deliveryRule, showTransaction } from './delivery-rule.ts';
import { showDuration } from './wording.ts';

export const deliveryLate = deliveryRule('LATE', {
  severity: 'medium',
  title: 'Delivered after the allowed time',
  why: 'The record said released long before the crypto was on its way.',
  action: 'Ask the Service why it calls a purchase released before it sends; waive a single case once it is explained.',
  example:
    'Released on 2026-11-01 10:20 UTC and due by 16:20; the ETH transaction 0x5c50… (block 812, 2026-11-03 09:00 UTC) came 40 hours late.',
  find: (delivery) => {
    const { due, releasedAt, sighting } = delivery;
    const at = sighting?.blockTime ?? null;
    const late = at === null ? 0 : at - due;
    return {
      expected: isoInstant(due),
      actual: at === null ? null : isoInstant(at),
      explanation:
        `Released on ${showInstant(releasedAt)} and due by ${showInstant(due)}; ` +
        `the ${showTransaction(delivery)} came ${showDuration(late)} late.`,
    };
  },
});
