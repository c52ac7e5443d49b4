/** The schemas of what `tieout serve` takes, by which it is read and documented. */
import type { WebhookSchemas } from '../intake/server/contract.ts';
import { quoteLine } from '../service/quote-line.ts';
import { baseFeeField } from '../service/wire/identifier-name.ts';
import { purchase, purchaseWebhook, sale, saleWebhook } from '../service/wire/records.ts';

/** @param identifierName the maker's name in identifiers of the deployment that sends to us */
export function webhookSchemas(identifierName: string): WebhookSchemas {
  const renamed = { [baseFeeField('Service')]: baseFeeField(identifierName) };
  return { purchase, purchaseWebhook, sale, saleWebhook, quoteLine, renamed };
}
