import { deliveryRule, nothingArrived, showTokens, showTransaction } from './delivery-rule.ts';

export const deliveryToOtherAddress = deliveryRule('TO_OTHER_ADDRESS', {
  severity: 'critical',
  title: 'The transaction pays other addresses',
  why: "Nothing in the transaction goes to the user's address.",
  action:
    'Check the address of the record against the one that the user gave, and ask the Service where the crypto went.',
  example:
    'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) moves nothing to 0x1470…: 0.04 ETH_ETH went elsewhere or was never sent.',
  find: (delivery, { observation }) => {
    const receiver = observation.outcome === 'verified' ? observation.snapshot.state.receiverAddress : null;
    return {
      ...nothingArrived(delivery),
      explanation:
        `The ${showTransaction(delivery)} moves nothing to ${receiver ?? 'the address of the record'}: ` +
        `${showTokens(delivery.expectedUnits, delivery)} went elsewhere or was never sent.`,
    };
  },
});
