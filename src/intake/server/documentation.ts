/** `GET /openapi.json` and the page at `/docs`: @fastify/swagger makes the document from the schemas of the routes. */
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifySchema } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { documentOptions, documentPage, type Operation } from '../../openapi/shared-document.ts';
import type { Documentation } from './contract.ts';
import { type Answer, DOCUMENT_ROUTE, deliveryRoutes, Refusal, type Route, UPKEEP_ROUTES } from './routes.ts';

const TITLE = 'Tieout receiver';

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
  await collectRoutes(app, documentation);
  const routes: readonly Route[] = [
    ...Object.values(deliveryRoutes(documentation.schemas)),
    ...Object.values(UPKEEP_ROUTES),
  ];
  for (const route of routes) app.route({ ...route, handler: () => null });
  await addDocumentation(app);
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

/** To be called before any route is added: the plugin sees only routes that come after it. */
export async function collectRoutes(app: FastifyInstance, { schemas, version }: Documentation): Promise<void> {
  const { purchase, purchaseWebhook, sale, saleWebhook, quoteLine, renamed } = schemas;
  const named = {
    Purchase: purchase,
    PurchaseWebhook: purchaseWebhook,
    Sale: sale,
    SaleWebhook: saleWebhook,
    Quote: quoteLine,
    Refusal,
  };
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: TITLE, version, description: ABOUT },
      // Relative to the address of the document: the server does not know its public names.
      servers: [{ url: '/' }],
      tags: TAGS,
      components: { securitySchemes: SECURITY },
    },
    ...documentOptions(named, addWhatIsLeftOut, renamed),
  });
}

export async function addDocumentation(app: FastifyInstance): Promise<void> {
  app.route({
    ...DOCUMENT_ROUTE,
    handler: (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  });
  await app.register(documentPage(TITLE));
}

/** Headers and examples of answers, which the library leaves out. */
function addWhatIsLeftOut({ responses }: Operation, { response }: FastifySchema): void {
  for (const [status, { headers, content }] of Object.entries((response ?? {}) as Record<string, Answer>)) {
    const written = responses[status];
    if (written === undefined) continue;
    if (headers !== undefined) written.headers = headers;
    for (const [type, { examples }] of Object.entries(content)) {
      const media = written.content?.[type];
      if (media !== undefined && examples !== undefined) media.examples = examples;
    }
  }
}
