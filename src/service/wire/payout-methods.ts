/** `GET /host-api/v3/payout-methods` (spec §2.4). */
import { paymentMethod } from './payment-methods.ts';
import { listOf } from './scalars.ts';

/** The shape of a payment method; only the names differ. */
export const payoutMethod = paymentMethod;

export const payoutMethods = listOf(payoutMethod);
