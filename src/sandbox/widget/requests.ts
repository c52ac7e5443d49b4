/** What the hosted page sends: read by its routes, and shown by the document. */
import { z } from 'zod';
import { OUTCOMES } from '../live/contract.ts';

export const widgetWish = z.strictObject({
  direction: z.enum(['onramp', 'offramp']),
  asset: z.string(),
  currency: z.string(),
  amount: z.string().max(80),
  unit: z.enum(['fiat', 'crypto']),
  country: z.string().nullable(),
});

export const widgetOrder = widgetWish.extend({
  /** The page's own query: what the integrator has set is read again here, and not taken from the page. */
  parameters: z.string().max(16_384),
  method: z.string(),
  address: z.string().max(128),
  outcome: z.enum(OUTCOMES.purchase),
  quotedAt: z.string(),
});
