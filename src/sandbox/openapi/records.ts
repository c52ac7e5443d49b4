/** One purchase, one sale (spec §2.8, §2.9), and the webhooks that bring the same objects (spec §6). */
import { z } from 'zod';
import type { Endpoint, WebhookDescription } from '../../openapi/contract.ts';
import { applicationError } from '../../service/wire/errors.ts';
import { purchase } from '../../service/wire/purchase.ts';
import { sale } from '../../service/wire/sale.ts';
import { purchaseWebhook, saleWebhook } from '../../service/wire/webhooks.ts';
import { SIGNATURE_HEADER } from '../live/signer.ts';
import { SECRET } from '../routes/parameters.ts';
import { limited, RECORD_REFUSALS } from './answers.ts';
import { EXAMPLES } from './examples.ts';

export const ID = z.object({ id: z.string().describe('As an SDK event or a webhook has brought it.') });
export const QUERY = z.object({ secret: SECRET.describe('The view token that came with the creation (spec §5.3).') });

const SALE = {
  method: 'GET',
  tag: 'v3',
  params: ID,
  query: QUERY,
  answers: limited({
    200: { says: 'The sale, as it is now.', schema: sale, examples: EXAMPLES.sale },
    ...RECORD_REFUSALS,
  }),
} as const;

export const RECORD_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/api/host-api/purchase/{id}',
    id: 'getPurchase',
    tag: 'v1',
    summary: 'One purchase',
    about: 'Spec §2.9. `appliedFee` includes the network fee, and `fiatValue` includes `appliedFee`.',
    params: ID,
    query: QUERY,
    answers: limited({
      200: { says: 'The purchase, as it is now.', schema: purchase, examples: EXAMPLES.purchase },
      ...RECORD_REFUSALS,
    }),
  },
  {
    ...SALE,
    path: '/api/host-api/offramp/sale/{id}',
    id: 'getSale',
    summary: 'One sale',
    about: 'Spec §2.8. Amounts may be strings.',
  },
  {
    ...SALE,
    path: '/api/host-api/v3/offramp/sale/{id}',
    id: 'getSaleV3',
    summary: 'The same sale, under the path that one integrator calls',
  },
  {
    method: 'POST',
    path: '/api/widget/testing/purchase/{id}/release',
    id: 'releasePurchase',
    tag: 'sandbox',
    summary: 'Releases a purchase at once, as staging deployments can',
    about: 'Only purchases that were made while the sandbox runs; a seeded one is fixed by its seed.',
    params: ID,
    query: QUERY,
    answers: limited({
      200: { says: 'The released purchase; the same when repeated.', schema: purchase },
      401: RECORD_REFUSALS[401],
      403: RECORD_REFUSALS[403],
      404: RECORD_REFUSALS[404],
      409: { says: 'It has ended otherwise.', schema: applicationError },
    }),
  },
];

const SIGNED = z.object({
  [SIGNATURE_HEADER]: z
    .string()
    .describe(
      'Base64 of a DER ECDSA signature (secp256k1, SHA-256) over the body printed with sorted keys and no white space. High-S signatures are valid. The public key is at `GET /sandbox/webhook-key`.',
    ),
});

const DELIVERY = {
  tag: 'webhooks',
  headers: SIGNED,
  needs: ['bodySignature'],
  answers: {
    200: { says: 'Any 2xx: the webhook is taken.' },
    500: { says: 'Anything else, or silence: repeated four times, three minutes apart, then dropped for good.' },
  },
} as const;

/** Sent to the address that the widget was given, with its query unchanged. The order is not guaranteed. */
export const WEBHOOKS: readonly WebhookDescription[] = [
  {
    ...DELIVERY,
    name: 'purchase',
    id: 'receivePurchase',
    summary: 'A purchase was created, released, or paid back',
    about: 'To `webhookStatusUrl`. There is no event id: `type` and the purchase itself say what happened.',
    body: { schema: purchaseWebhook, examples: EXAMPLES.purchaseWebhook },
  },
  {
    ...DELIVERY,
    name: 'sale',
    id: 'receiveSale',
    summary: 'A sale was created, paid out, or has expired',
    about: 'To `offrampWebhookV3Url`. The outer `id` belongs to the event, never to the sale.',
    body: { schema: saleWebhook, examples: EXAMPLES.saleWebhook },
  },
];
