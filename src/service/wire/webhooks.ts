/** Webhook envelopes (field facts "Webhooks"). The bare purchase or sale of spec §6 comes without one. */
import { purchase } from './purchase.ts';
import { sale } from './sale.ts';
import { filled, resource, text } from './scalars.ts';

/** Event types are a vocabulary of their own: `RETURNED` is no status. Unknown ones are kept. */
export const PURCHASE_EVENT_TYPES = ['CREATED', 'RELEASED', 'RETURNED', 'ERROR'] as const;
export const SALE_EVENT_TYPES = ['CREATED', 'RELEASED', 'EXPIRED'] as const;

/** Purchases come without an event id. */
export const purchaseWebhook = resource({ type: filled, purchase });

/** `id` is the event's, never the sale's. */
export const saleWebhook = resource({ id: text.nullish(), type: filled, mode: text.nullish(), payload: sale });
