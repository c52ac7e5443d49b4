import { deliveryRule, nothingArrived, showTokens, showTransaction } from './delivery-rule.ts';

export const deliveryOfOtherAsset = deliveryRule('OF_OTHER_ASSET', {
  severity: 'high',
  title: 'Another asset was delivered',
  why: "The user's address received something, but not the asset that was bought. A token of the same name has another contract.",
  action:
    'Compare the contract of the transfer with that of the asset, and ask the Service to deliver what was bought.',
  example:
    'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) pays the address in another asset: nothing of 25 ETH_USDC was delivered.',
  find: (delivery) => ({
    ...nothingArrived(delivery),
    explanation:
      `The ${showTransaction(delivery)} pays the address in another asset: nothing of ` +
      `${showTokens(delivery.expectedUnits, delivery)} was delivered.`,
  }),
});
