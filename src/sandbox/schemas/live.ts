/** A live order and its receipt. */
import { z } from 'zod';
import { OUTCOMES } from '../contract.ts';

export const LiveOrder = z.strictObject({
  kind: z.enum(['purchase', 'sale']),
  cryptoAssetSymbol: z.string(),
  fiatCurrency: z.string(),
  fiatValue: z.number().optional(),
  cryptoAmount: z.string().optional(),
  method: z.string(),
  userCountryCode: z.string().optional(),
  address: z.string().optional(),
  outcome: z.enum(OUTCOMES.purchase).optional(),
  webhookUrl: z.string().max(2048).optional(),
  quotedAt: z.string().optional(),
});

/** What an order is answered with; the widget's own order has the address of the API beside it. */
export function receiptOf({ Purchase, Sale }: { Purchase: z.ZodType; Sale: z.ZodType }) {
  return z.looseObject({
    kind: z.enum(['purchase', 'sale']),
    id: z.string(),
    viewToken: z.string(),
    payInAddress: z.string().nullable().describe('Where a seller sends the crypto.'),
    body: z.union([Purchase, Sale]),
  });
}
