/** What only a sandbox has, under `/sandbox`: exports, the answer key, counters, the levers of time, live records. */
import { z } from 'zod';
import type { Endpoint, Operation } from '../../openapi/contract.ts';
import { applicationError } from '../../service/wire/errors.ts';
import { purchase } from '../../service/wire/purchase.ts';
import { sale } from '../../service/wire/sale.ts';
import { ERROR_CODES } from '../errors.ts';
import { liveOrder } from '../live/read-request.ts';
import { clockRequest, nightRequest, tamperRequest } from '../routes/control-requests.ts';
import { EXPORT_FORMAT } from '../routes/parameters.ts';
import { invalid, RECORD_REFUSALS, reading, refusedBody } from './answers.ts';

const KIND = z.enum(['purchase', 'sale']);
const INSTANT = z.string().meta({ format: 'date-time' });

const answerKey = z.array(
  z.strictObject({
    kind: KIND,
    id: z.string(),
    defect: z.string().describe('What is wrong with the record, for people.'),
    codes: z.array(z.string()).describe('Every break code that is due for it.'),
    night: z.literal([1, 2]).describe('The first night on which they are due.'),
  }),
);

const limit = z.strictObject({
  requests: z.int(),
  perMs: z.int(),
  maxSeen: z.int().describe('The most requests of one address in any rolling window of that length.'),
});

const stats = z.strictObject({
  requests: z.int().describe('Everything that arrived under `/api`, rejected requests included.'),
  byEndpoint: z.record(z.string(), z.int()),
  limits: z.array(limit),
  rejected: z.int(),
  whileBlocked: z.int(),
});

const liveLine = z.strictObject({
  kind: KIND,
  id: z.string(),
  view_token: z.string(),
  created_at: INSTANT,
  status: z.string(),
});

const delivery = z.strictObject({
  number: z.int().min(1),
  kind: KIND,
  recordId: z.string(),
  type: z.string().describe('CREATED, RELEASED, RETURNED or EXPIRED.'),
  url: z.string(),
  state: z.enum(['pending', 'delivered', 'dropped', 'refused']),
  attempts: z.array(z.strictObject({ at: INSTANT, status: z.int().nullable(), problem: z.string().nullable() })),
  nextAttemptAt: INSTANT.nullable(),
});

/** What an order is answered with; the widget's own order has the address of the API beside it. */
export const receipt = z.looseObject({
  kind: KIND,
  id: z.string(),
  viewToken: z.string(),
  payInAddress: z.string().nullable().describe('Where a seller sends the crypto.'),
  body: z.union([purchase, sale]),
});

/** Why an order is not taken. */
export const ORDER_REFUSALS: Operation['answers'] = {
  400: refusedBody('exactly one of cryptoAmount and fiatValue must be given', {
    [ERROR_CODES.assetNotSupported]: { cryptoAssetSymbol: 'XXX_XXX' },
    'SANDBOX.AMOUNT_TOO_LOW': { currency: 'EUR', limit: 6 },
  }),
  409: { says: 'The price has changed since it was shown.', schema: applicationError },
};

type Described = Omit<Endpoint, 'tag' | 'method'>;
const get = (described: Described): Endpoint => ({ method: 'GET', tag: 'sandbox', ...described });
const post = (described: Described): Endpoint => ({ method: 'POST', tag: 'sandbox', ...described });
const ok = (says: string, schema: z.ZodType, mediaType?: string): Operation['answers'] => ({
  200: { says, schema, ...(mediaType === undefined ? {} : { mediaType }) },
});

export const LEVER_ENDPOINTS: readonly Endpoint[] = [
  get({
    path: '/sandbox/tracked',
    id: 'exportTracked',
    summary: 'The ids and view tokens of the seeded population, to be imported',
    query: z.object({ format: EXPORT_FORMAT.optional().meta({ default: 'csv', description: 'CSV or NDJSON.' }) }),
    answers: {
      ...ok('One line per record, as CSV or as NDJSON.', z.string(), 'text/csv'),
      400: invalid('format must be csv or ndjson'),
    },
  }),
  get({
    path: '/sandbox/quotes',
    id: 'exportQuotes',
    summary: 'The quotes that the app captured, to be imported',
    answers: ok('One line of NDJSON per quote.', z.string(), 'application/x-ndjson'),
  }),
  get({
    path: '/sandbox/answers',
    id: 'getAnswerKey',
    summary: 'Which records have which defects',
    answers: ok('Nothing else is due for any other record.', answerKey),
  }),
  get({
    path: '/sandbox/stats',
    id: 'getStats',
    summary: 'What was asked, and how close to the limits',
    answers: ok('Counted since the start.', stats),
  }),
  post({
    path: '/sandbox/clock',
    id: 'moveClock',
    summary: 'Moves the clock on, sets it, or changes the speed of live records',
    body: {
      schema: clockRequest,
      examples: { 'three minutes on': { advanceMs: 180_000 }, faster: { speed: 60 } },
    },
    answers: reading({
      ...ok('What the clock says now.', z.strictObject({ now: INSTANT })),
      400: refusedBody('give advanceMs, a number of at least 0, at, an ISO 8601 instant, or speed', {}),
    }),
  }),
  post({
    path: '/sandbox/night',
    id: 'setNight',
    summary: 'Shows the population as of the first night, or as of the second',
    body: { schema: nightRequest, examples: { 'the second': { night: 2 } } },
    answers: reading({
      ...ok('The night that is seen now.', z.strictObject({ night: z.literal([1, 2]) })),
      400: refusedBody('night must be 1 or 2', {}),
    }),
  }),
  get({
    path: '/sandbox/webhook-key',
    id: 'getWebhookKey',
    summary: 'The public key that webhooks are signed with',
    answers: ok('PEM.', z.string(), 'application/x-pem-file'),
  }),
  get({
    path: '/sandbox/deliveries',
    id: 'getDeliveries',
    summary: 'Every webhook, with its attempts',
    answers: ok('In order of creation.', z.array(delivery)),
  }),
  get({
    path: '/sandbox/live',
    id: 'getLiveRecords',
    summary: 'The purchases and sales that were made while the sandbox runs',
    answers: ok('In order of creation, with their tokens.', z.array(liveLine)),
  }),
  post({
    path: '/sandbox/live',
    id: 'makeLiveRecord',
    summary: 'Makes a purchase or a sale, as the widget would',
    body: {
      schema: liveOrder,
      examples: {
        'buy for 100 EUR': {
          kind: 'purchase',
          cryptoAssetSymbol: 'ETH_ETH',
          fiatCurrency: 'EUR',
          fiatValue: 100,
          method: 'CARD_PAYMENT',
        },
      },
    },
    answers: reading({ 201: { says: 'It is made.', schema: receipt }, ...ORDER_REFUSALS }),
  }),
  post({
    path: '/sandbox/live/{id}/tamper',
    id: 'tamperWithLiveRecord',
    summary: 'Lets a live record answer with other figures from now on',
    params: z.object({ id: z.string() }),
    body: { schema: tamperRequest, examples: { 'another fee': { appliedFee: 9.99 } } },
    answers: reading({
      ...ok('The fields that are changed.', z.strictObject({ tampered: z.array(z.string()) })),
      400: refusedBody('body must be an object of changed fields', {}),
      404: RECORD_REFUSALS[404],
    }),
  }),
];
