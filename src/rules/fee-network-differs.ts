import { judgeFeePart } from './fee-part-differs.ts';
import type { Rule } from './rule.ts';

export const feeNetworkDiffers: Rule = {
  code: 'FEE_NETWORK_DIFFERS',
  severity: 'medium',
  title: 'The network fee differs from the quoted one',
  why: 'The price of the transfer is another than quoted; it is a pass-through cost that nobody should earn on.',
  check: (input) =>
    judgeFeePart(input, 'network', 'The network fee is', () =>
      input.quote?.method?.networkFeeExact === false ? " (converted through the quote's own price list)" : '',
    ),
};
