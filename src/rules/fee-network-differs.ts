import { FEE_RULES } from '../domain/rule-codes.ts';
import { judgeFeePart, workOutFeePart } from './fee-part-differs.ts';
import { judgePublishedFee, workOutPublishedFee } from './published-network-fee.ts';
import { bodyRule, RIGHTED } from './rule.ts';

export const feeNetworkDiffers = bodyRule({
  code: FEE_RULES.network,
  severity: 'medium',
  proof: 'quote',
  title: 'The network fee differs from the quoted or published one',
  why: 'The price of the transfer is not the quoted one; it is a pass-through cost on which no party should earn.',
  action: 'Ask the Service for the network fee that it paid; a pass-through cost should be what was quoted.',
  settledBy: RIGHTED,
  example: 'The network fee is 14.09 PLN; quote q-343 (card, 9 min before) promised 7.83 PLN: 6.26 PLN more (80.0 %).',
  note: 'Without a quote it is held against the published fees around the execution, with more room the older they are; a payment that came hours after them is not judged by them.',
  check: (state, input) =>
    input.quote === null
      ? judgePublishedFee(state, input)
      : judgeFeePart(state, input, 'network', 'The network fee is', () =>
          input.quote?.method?.networkFeeExact === false ? " (converted through the quote's own price list)" : '',
        ),
  working: (state, input) =>
    input.quote === null ? workOutPublishedFee(state, input) : workOutFeePart(state, input, 'network'),
});
