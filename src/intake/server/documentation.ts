/** What the document says beside the schemas of the routes. */
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { addDocument, collectRoutes } from '../../openapi/shared-document.ts';
import type { Documentation } from './contract.ts';
import { deliveryRoutes, Refusal, type Route, UPKEEP_ROUTES } from './routes.ts';

export const TITLE = 'Tieout receiver';

const ABOUT = `Takes what the Service and the app send: a webhook is answered once it is on disk, so a delivery that was
answered with 2xx is not lost. Everything else is to be sent again, and repetitions change nothing.`;

const TAGS = [
  { name: 'webhooks', description: 'From the Service, signed.' },
  { name: 'intake', description: 'From the app, with a bearer token.' },
  { name: 'upkeep', description: 'For monitoring. Not limited.' },
  { name: 'documentation', description: 'What this server can do.' },
];

const SECURITY = {
  bodySignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Body-Signature',
    description:
      'Base64 of a DER ECDSA signature (secp256k1, SHA-256) over the body printed with sorted keys and no white space, by a key of `webhooks.publicKeys`. Not needed where `webhooks.requireSignature` is false.',
  },
  intakeToken: { type: 'http', scheme: 'bearer', description: 'The token that is set as `webhooks.intakeToken`.' },
} as const;

/** The document without a server. */
export async function receiverDocument(documentation: Documentation): Promise<object> {
  const app = fastify();
  useSchemas(app);
  await describeReceiver(app, documentation);
  const routes: readonly Route[] = [
    ...Object.values(deliveryRoutes(documentation.schemas)),
    ...Object.values(UPKEEP_ROUTES),
  ];
  for (const route of routes) app.route({ ...route, handler: () => null });
  addDocument(app, TITLE);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

/** Answers are serialised by their schemas; requests are read by the routes, after authentication. */
export function useSchemas(app: FastifyInstance): void {
  app.setSerializerCompiler(serializerCompiler);
  app.setValidatorCompiler(() => () => true);
}

/** To be called before any route is added. */
export async function describeReceiver(app: FastifyInstance, { schemas, version }: Documentation): Promise<void> {
  const { purchase, purchaseWebhook, sale, saleWebhook, quoteLine, renamed } = schemas;
  const named = {
    Purchase: purchase,
    PurchaseWebhook: purchaseWebhook,
    Sale: sale,
    SaleWebhook: saleWebhook,
    Quote: quoteLine,
    Refusal,
  };
  const info = { title: TITLE, version, description: ABOUT };
  await collectRoutes(app, { info, tags: TAGS, components: { securitySchemes: SECURITY } }, named, renamed);
}
