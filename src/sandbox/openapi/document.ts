/** The sandbox, which is the Service, as an OpenAPI 3.1 document. Loaded when somebody asks for it, and not before. */
import type { ApiDescription, JsonObject } from '../../openapi/contract.ts';
import { openApiDocument } from '../../openapi/document.ts';
import { DOCUMENTATION_ENDPOINTS, DOCUMENTATION_TAG } from '../../openapi/pages.ts';
import { assetInfoV1, assetsV1 } from '../../service/wire/assets-v1.ts';
import { assetInfoV2, assetsV2 } from '../../service/wire/assets-v2.ts';
import { assetInfoV3, offrampAssetsV3, onrampAssetsV3 } from '../../service/wire/assets-v3.ts';
import { countries, country } from '../../service/wire/countries.ts';
import { activeCurrency, currencies } from '../../service/wire/currencies.ts';
import { applicationError, frameworkError, validationError } from '../../service/wire/errors.ts';
import { baseFeeField } from '../../service/wire/identifier-name.ts';
import { paymentMethod, paymentMethods } from '../../service/wire/payment-methods.ts';
import { payoutMethods } from '../../service/wire/payout-methods.ts';
import { purchase, purchaseAsset } from '../../service/wire/purchase.ts';
import { quoteV1 } from '../../service/wire/quote-v1.ts';
import { offrampQuoteV3, onrampQuoteV3, paymentMethodQuote, payoutMethodQuote } from '../../service/wire/quote-v3.ts';
import { sale, saleAsset } from '../../service/wire/sale.ts';
import { purchaseWebhook, saleWebhook } from '../../service/wire/webhooks.ts';
import { liveOrder } from '../live/read-request.ts';
import { SIGNATURE_HEADER } from '../live/signer.ts';
import { quoteRequestV1, quoteRequestV3 } from '../quote-request.ts';
import { LEVER_ENDPOINTS } from './levers.ts';
import { QUOTE_ENDPOINTS } from './quotes.ts';
import { RECORD_ENDPOINTS, WEBHOOKS } from './records.ts';
import { REFERENCE_ENDPOINTS } from './reference.ts';
import { WIDGET_ENDPOINTS } from './widget.ts';

/** Names in the document; where the specification has a name, it is that one. */
const SCHEMAS: ApiDescription['schemas'] = {
  HostAssetsConfig: onrampAssetsV3,
  OfframpHostAssetsConfig: offrampAssetsV3,
  AssetInfo: assetInfoV3,
  HostAssetsConfigV2: assetsV2,
  AssetInfoV2: assetInfoV2,
  HostAssetsConfigV1: assetsV1,
  AssetInfoV1: assetInfoV1,
  PaymentMethods: paymentMethods,
  PayoutMethods: payoutMethods,
  Method: paymentMethod,
  ActiveTransactionCurrencies: currencies,
  ActiveTransactionCurrency: activeCurrency,
  Countries: countries,
  CountryInfo: country,
  QuoteRequestBody: quoteRequestV3,
  QuoteRequestBodyV1: quoteRequestV1,
  QuoteResult: onrampQuoteV3,
  QuoteResultForPaymentMethod: paymentMethodQuote,
  OfframpQuoteResult: offrampQuoteV3,
  QuoteResultForPayoutMethod: payoutMethodQuote,
  QuoteResultV1: quoteV1,
  Purchase: purchase,
  PurchaseAsset: purchaseAsset,
  Sale: sale,
  SaleAsset: saleAsset,
  PurchaseWebhook: purchaseWebhook,
  SaleWebhook: saleWebhook,
  ApplicationError: applicationError,
  FrameworkError: frameworkError,
  ValidationError: validationError,
  LiveOrder: liveOrder,
};

const ABOUT = `The Service on this machine: its REST API in three versions, the webhooks that it sends, and the widget page.
Everything under \`/api\` is the Service as it is specified; \`/sandbox\` is what only a sandbox has. No money moves here.

Numbers are exact decimals of up to 17 significant digits: a client that reads them as binary floating point loses some.
Crypto amounts are in wei or token units, as text. Fields that are not described may be there, and are to be kept.`;

export const SANDBOX_API: ApiDescription = {
  title: 'On-ramp and off-ramp Service (sandbox)',
  version: '3.0.0',
  about: ABOUT,
  tags: [
    { name: 'v3', about: 'The current version (spec §4.1).' },
    { name: 'v2', about: 'Assets only (spec §4.2).' },
    { name: 'v1', about: 'Without a version in the path (spec §4.3).' },
    { name: 'webhooks', about: 'What the Service sends (spec §6).' },
    { name: 'sandbox', about: 'Exports, the answer key, and the levers of time. Neither limited nor counted.' },
    { name: 'widget', about: 'The hosted page, and what it alone asks.' },
    DOCUMENTATION_TAG,
  ],
  schemas: SCHEMAS,
  security: {
    bodySignature: {
      type: 'apiKey',
      in: 'header',
      name: SIGNATURE_HEADER,
      description: 'A signature over the body, never over the address. See the header of each webhook.',
    },
  },
  endpoints: [
    ...REFERENCE_ENDPOINTS,
    ...QUOTE_ENDPOINTS,
    ...RECORD_ENDPOINTS,
    ...LEVER_ENDPOINTS,
    ...WIDGET_ENDPOINTS,
    ...DOCUMENTATION_ENDPOINTS,
  ],
  webhooks: WEBHOOKS,
};

/** @param identifierName the maker's name in identifiers: the document has the fields that this sandbox writes. */
export function sandboxDocument(identifierName: string): JsonObject {
  return openApiDocument({ ...SANDBOX_API, renamed: { [baseFeeField('Service')]: baseFeeField(identifierName) } });
}
