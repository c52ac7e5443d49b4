/** A live order as it comes over HTTP. */
import { z } from 'zod';
import { validationError } from '../errors.ts';
import { type LiveRequest, OUTCOMES } from './contract.ts';

/** Also what the document shows. */
export const liveOrder = z.strictObject({
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

/** @throws ServiceError 400 with one message per problem */
export function readLiveRequest(body: unknown): LiveRequest {
  const read = liveOrder.safeParse(body);
  if (!read.success) {
    throw validationError(...read.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`));
  }
  return read.data;
}
