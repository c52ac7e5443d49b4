import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { deliveryRule, showTransaction, tokensOfUnits } from './delivery-rule.ts';
import { apart } from './rule.ts';
import { figuresApart, showFigure } from './wording.ts';

export const deliveryAmountDiffers = deliveryRule('AMOUNT_DIFFERS', {
  severity: 'high',
  title: 'Another amount was delivered',
  why: "What arrived at the user's address is not what the record says was bought.",
  action:
    'Claim the missing crypto from the Service, with the transaction as proof; after an overpayment expect a correction.',
  example:
    'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) delivers 0.0396 ETH_ETH; the record is for 0.04: 0.0004 ETH_ETH less.',
  find(delivery, { terms }) {
    const expected = tokensOfUnits(delivery.expectedUnits, delivery);
    const actual = tokensOfUnits(delivery.deliveredUnits ?? 0n, delivery);
    const sides = apart(actual, expected);
    const [shownActual, shownExpected] = figuresApart(actual, expected);
    const asset = assetIdentifier(delivery.asset);
    return {
      ...sides,
      currency: asset,
      tolerance: terms.tolerances.crypto.relative.times(Decimal.of(delivery.expectedUnits, delivery.asset.decimals)),
      explanation:
        `The ${showTransaction(delivery)} delivers ${shownActual} ${asset}; the record is for ${shownExpected}: ` +
        `${showFigure(sides.difference.abs())} ${asset} ${sides.difference.isNegative ? 'less' : 'more'}.`,
    };
  },
});
