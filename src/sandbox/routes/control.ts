/**
 * Endpoints that only a sandbox has: exports, the answer key, counters, control of time, live records and their
 * webhooks.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { TrackedLine } from '../contract.ts';
import {
  answer,
  invalid,
  ORDER_REFUSALS,
  RECORD_REFUSALS,
  reading,
  refusedBody,
  textAnswer,
} from '../schemas/answers.ts';
import {
  answerKey,
  clockAnswer,
  clockRequest,
  deliveries,
  environmentQuery,
  liveLines,
  nightAnswer,
  nightRequest,
  partnerKey,
  receiptOf,
  stats,
  tamperAnswer,
  tamperRequest,
} from '../schemas/control.ts';
import { about, type Routes, withFieldNames } from './site.ts';

/** Neither limited nor counted. */
export const controlRoutes: Routes = (app, site) => {
  const { population, clock, limiter, night, live, partner, schemas } = site;

  app.get(
    '/tracked',
    about('sandbox', 'exportTracked', 'The ids and view tokens of the seeded population, to be imported', {
      querystring: z.object({
        format: z
          .enum(['csv', 'ndjson'], { error: 'format must be csv or ndjson' })
          .default('csv')
          .describe('CSV or NDJSON.'),
      }),
      response: {
        200: textAnswer('One line per record, as CSV or as NDJSON.', 'text/csv'),
        400: invalid('format must be csv or ndjson'),
      },
    }),
    ({ query }, reply) => {
      const lines = partner === null ? population.trackedLines() : withPartner();
      return query.format === 'csv'
        ? reply.type('text/csv; charset=utf-8').send(Readable.from(csv(lines)))
        : reply.type('application/x-ndjson').send(Readable.from(ndjson(lines)));
    },
  );

  function* withPartner() {
    yield* population.trackedLines();
    if (partner !== null) yield* partner.trackedLines(clock.now());
  }

  app.get(
    '/quotes',
    about('sandbox', 'exportQuotes', 'The quotes that the app captured, to be imported', {
      response: { 200: textAnswer('One line of NDJSON per quote.', 'application/x-ndjson') },
    }),
    (_request, reply) => reply.type('application/x-ndjson').send(Readable.from(ndjson(population.quoteLines()))),
  );

  const showing = (
    path: string,
    operationId: string,
    summary: string,
    [description, schema]: [string, z.ZodType],
    shown: () => unknown,
  ) => app.get(path, about('sandbox', operationId, summary, { response: { 200: answer(description, schema) } }), shown);
  showing(
    '/partner',
    'getPartner',
    "The partner's statements in their order, and what a reconciliation of them has to say",
    ['Null unless the sandbox was started with a partner.', partnerKey],
    () => partner?.key ?? null,
  );
  const due: [string, z.ZodType] = ['Nothing else is due for any other record.', answerKey];
  showing('/answers', 'getAnswerKey', 'Which records have which defects', due, () => [...population.answerKey()]);
  const counted = 'Requests by endpoint, and how close they came to the limits';
  showing('/stats', 'getStats', counted, ['Counted since the start.', stats], site.stats);
  const sent: [string, z.ZodType] = ['In order of creation.', deliveries];
  showing('/deliveries', 'getDeliveries', 'Every webhook, with its attempts', sent, live.deliveries);
  const made = 'The purchases and sales that were made while the sandbox runs';
  showing('/live', 'getLiveRecords', made, ['In order of creation, with their tokens.', liveLines], live.records);

  app.post(
    '/clock',
    about('sandbox', 'moveClock', 'Moves the clock on, sets it, or changes the speed of live records', {
      body: clockRequest,
      bodyExamples: { 'three minutes on': { advanceMs: 180_000 }, faster: { speed: 60 } },
      response: reading({
        200: answer('What the clock says now.', clockAnswer),
        400: refusedBody('give advanceMs, a number of at least 0, at, an ISO 8601 instant, or speed'),
      }),
    }),
    ({ body }) => {
      if ('advanceMs' in body) clock.advance(body.advanceMs);
      else if ('speed' in body) live.setSpeed(body.speed);
      else {
        clock.set(Date.parse(body.at));
        limiter.forget();
      }
      live.settle();
      return { now: new Date(clock.now()).toISOString() };
    },
  );

  app.post(
    '/night',
    about('sandbox', 'setNight', 'Shows the population as of the first night, or as of the second', {
      body: nightRequest,
      bodyExamples: { 'the second': { night: 2 } },
      response: reading({
        200: answer('The night that is seen now.', nightAnswer),
        400: refusedBody('night must be 1 or 2'),
      }),
    }),
    ({ body }) => {
      night.current = body.night;
      return { night: body.night };
    },
  );

  app.get(
    '/webhook-key',
    about('sandbox', 'getWebhookKey', 'The public key that webhooks are signed with', {
      querystring: environmentQuery,
      response: {
        200: textAnswer('PEM.', 'application/x-pem-file'),
        400: invalid('environment must be live or demo'),
      },
    }),
    ({ query }, reply) => reply.type('application/x-pem-file').send(live.publicKeys[query.environment]),
  );

  app.post(
    '/live',
    {
      validatorCompiler: withFieldNames,
      ...about('sandbox', 'makeLiveRecord', 'Makes a purchase or a sale, as the widget would', {
        body: schemas.LiveOrder,
        bodyExamples: {
          'buy for 100 EUR': {
            kind: 'purchase',
            cryptoAssetSymbol: 'ETH_ETH',
            fiatCurrency: 'EUR',
            fiatValue: 100,
            method: 'CARD_PAYMENT',
          },
        },
        response: reading({ 201: answer('It is made.', receiptOf(schemas)), ...ORDER_REFUSALS }),
      }),
    },
    ({ body }, reply) => reply.code(201).send(live.create(body)),
  );

  app.post(
    '/live/:id/tamper',
    about('sandbox', 'tamperWithLiveRecord', 'Makes a live record answer with other figures from now on', {
      params: z.object({ id: z.string() }),
      body: tamperRequest,
      bodyExamples: { 'another fee': { appliedFee: 9.99 } },
      response: reading({
        200: answer('The fields that are changed.', tamperAnswer),
        400: refusedBody('body must be an object of changed fields'),
        404: RECORD_REFUSALS[404],
      }),
    }),
    ({ params, body }) => {
      live.tamper(params.id, body);
      return { tampered: Object.keys(body) };
    },
  );
};

// The application's exports as text: tracked records as CSV or NDJSON, quotes as NDJSON. Streamed in large pieces.
const PIECE = 65_536;

const COLUMNS = [
  'kind',
  'id',
  'view_token',
  'created_at',
  'host_reference',
  'quote_id',
  'expected_status',
  'shown_total',
  'shown_fee',
] as const satisfies readonly (keyof TrackedLine)[];

/** No value has a comma, a quote or a line break in it, so none needs quoting. */
export function* csv(lines: Iterable<TrackedLine>): Generator<string> {
  yield `${COLUMNS.join(',')}\n`;
  yield* inPieces(lines, (line) => `${COLUMNS.map((column) => line[column] ?? '').join(',')}\n`);
}

export function* ndjson(lines: Iterable<unknown>): Generator<string> {
  yield* inPieces(lines, (line) => `${JSON.stringify(line)}\n`);
}

/** A socket takes a thousand lines at once far faster than one by one. */
function* inPieces<T>(items: Iterable<T>, write: (item: T) => string): Generator<string> {
  let piece = '';
  for (const item of items) {
    piece += write(item);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
