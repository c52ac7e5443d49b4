/** The hosted widget page at `/` (spec §2.11, §4.4), and the requests that only this page makes. */
import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { findAsset } from '../assets-catalogue.ts';
import type { LiveRequest, SandboxKind } from '../contract.ts';
import { applicationError, ERROR_CODES } from '../errors.ts';
import { isTerminalStep, type LiveRecord, stepOf } from '../live/journey.ts';
import { answer, ORDER_REFUSALS, RECORD_REFUSALS, reading, refusedBody, textAnswer } from '../schemas/answers.ts';
import { receiptOf } from '../schemas/control.ts';
import type { Progress } from '../schemas/widget.ts';
import {
  cannotStart,
  pageParameters,
  progress,
  recalculated,
  recalculation,
  settings,
  shownQuote,
  viewTokenHeader,
  widgetOrder,
  widgetWish,
} from '../schemas/widget.ts';
import { recalculate, requestedAmountOf, showQuote } from '../widget/quote.ts';
import { readSettings } from '../widget/settings.ts';
import { recordId, refusal } from './records.ts';
import { about, documentedOnly, type Routes, type Site, stringOf, withFieldNames } from './site.ts';

const PAGE = new URL('../widget/page/', import.meta.url);

/** The page may be framed by any app: that is what an embedded widget is. It loads nothing from elsewhere but a logo. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ');

const QUOTE_ANSWERS = {
  200: answer('Every method at once, in words and figures.', shownQuote),
  400: refusedBody('Type an amount of EUR, such as 50.', { [ERROR_CODES.assetNotSupported]: {} }),
};

export const widgetRoutes: Routes = (app, site) => {
  const { schemas } = site;

  app.get(
    '/',
    {
      validatorCompiler: documentedOnly,
      ...about('widget', 'getWidget', 'The widget page', {
        description: 'Further parameters: spec §2.11. The page itself shows what is wrong with them.',
        querystring: pageParameters,
        response: { 200: textAnswer('The page.', 'text/html') },
      }),
    },
    (_request, reply) => sendPage(reply, 'widget.html', 'text/html; charset=utf-8'),
  );

  const file = (name: string, mediaType: string, charset: string, operationId: string, summary: string) =>
    app.get(
      `/widget/${name}`,
      about('widget', operationId, summary, { response: { 200: textAnswer('The file.', mediaType) } }),
      (_request, reply) => sendPage(reply, name, `${mediaType}${charset}`),
    );
  file('widget.js', 'text/javascript', '; charset=utf-8', 'getWidgetScript', 'Script of the page');
  file('page.js', 'text/javascript', '; charset=utf-8', 'getPageScript', 'Script: elements, state, requests');
  file('form.js', 'text/javascript', '; charset=utf-8', 'getFormScript', 'Script: form and prices');
  file('transaction.js', 'text/javascript', '; charset=utf-8', 'getTransactionScript', 'Script: order and status');
  file('widget.css', 'text/css', '; charset=utf-8', 'getWidgetStyle', 'Style of the page');
  file('logo.svg', 'image/svg+xml', '', 'getExampleLogo', 'A logo for examples');

  app.get(
    '/widget/settings',
    {
      validatorCompiler: documentedOnly,
      ...about('widget', 'getWidgetSettings', 'What the page is to show, read from its own parameters', {
        querystring: pageParameters,
        response: {
          200: answer('The settings, and warnings for what was left out.', settings),
          400: answer('The widget cannot start: every problem at once.', cannotStart),
        },
      }),
    },
    (request) => {
      const { webhookUrls: _, hostApiKey: __, ...shown } = readSettings(queryOf(request), site.hostApiKeys);
      return { ...shown, apiUrl: apiUrlOf(request) };
    },
  );

  app.post(
    '/widget/quote',
    {
      validatorCompiler: withFieldNames,
      ...about('widget', 'showQuote', 'The price of the typed amount', {
        body: widgetWish,
        response: reading(QUOTE_ANSWERS),
      }),
    },
    ({ body }) => showQuote(body, site.market, site.clock.now()),
  );

  app.post(
    '/widget/orders',
    {
      validatorCompiler: withFieldNames,
      ...about('widget', 'orderByWidget', 'Makes a purchase or a sale for the person at the page', {
        body: widgetOrder,
        response: reading({ 201: answer('It is made.', receiptOf(schemas)), ...ORDER_REFUSALS }),
      }),
    },
    (request, reply) => {
      const receipt = site.live.create(liveRequest(request.body, site));
      return reply.code(201).send({ ...receipt, apiUrl: apiUrlOf(request) });
    },
  );

  app.post(
    '/widget/recalculate',
    {
      validatorCompiler: withFieldNames,
      ...about(
        'widget',
        'recalculateAmount',
        'An amount in the currency that the person has chosen instead (spec §2.11, `fiatValue`)',
        {
          body: recalculation,
          response: reading({ 200: answer('In whole minor units.', recalculated), 400: QUOTE_ANSWERS[400] }),
        },
      ),
    },
    ({ body }) => ({ amount: recalculate(body, site.market.at(site.clock.now())) }),
  );

  const progressAt = (path: string, kind: SandboxKind, operationId: string) =>
    app.get(
      path,
      about('widget', operationId, `How far a ${kind} has come`, {
        params: recordId,
        headers: viewTokenHeader,
        response: {
          200: answer('Its steps, for the person who waits.', progress),
          403: RECORD_REFUSALS[403],
          404: RECORD_REFUSALS[404],
        },
      }),
      (request) => {
        const record = site.live.find(kind, request.params.id);
        if (record === null) throw refusal(404);
        if (record.token !== stringOf(request.headers, 'x-view-token')) throw refusal(403);
        return progressOf(record);
      },
    );
  progressAt('/widget/purchases/:id', 'purchase', 'getPurchaseProgress');
  progressAt('/widget/sales/:id', 'sale', 'getSaleProgress');
};

async function sendPage(reply: FastifyReply, file: string, type: string): Promise<FastifyReply> {
  const text = await readFile(new URL(file, PAGE), 'utf8');
  return reply
    .headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
    .headers({ 'referrer-policy': 'origin' })
    .type(type)
    .send(text);
}

function liveRequest(order: z.infer<typeof widgetOrder>, site: Site): LiveRequest {
  const { parameters, direction, asset: name, currency, method, address, outcome, quotedAt, ...rest } = order;
  const chosen = readSettings(parameters, site.hostApiKeys);
  const asset = findAsset(name);
  const isOffered = chosen.choices[direction]?.assets.some(({ id }) => id === name) === true;
  if (asset === undefined || !isOffered) throw applicationError(400, ERROR_CODES.assetNotSupported);
  const asked = requestedAmountOf({ direction, asset: name, currency, ...rest }, asset);
  const webhookUrl = chosen.webhookUrls[direction];
  return {
    kind: direction === 'onramp' ? 'purchase' : 'sale',
    cryptoAssetSymbol: name,
    fiatCurrency: currency,
    ...('fiat' in asked ? { fiatValue: asked.fiat } : { cryptoAmount: asked.units.toString() }),
    method,
    ...(rest.country === null ? {} : { userCountryCode: rest.country }),
    address,
    outcome,
    hostApiKey: chosen.hostApiKey,
    ...(webhookUrl === null ? {} : { webhookUrl }),
    quotedAt,
  };
}

function queryOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function apiUrlOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}/api`;
}

// The progress of a live record, for the waiting user.
type StepState = Progress['steps'][number]['state'];

function progressOf(record: LiveRecord): Progress {
  const step = stepOf(record);
  const ended = isTerminalStep(step);
  const succeeded = step.status === 'RELEASED';
  return {
    status: step.status,
    says: step.says,
    steps: record.steps.map(({ says }, index) => ({ says, state: stateOf(index, record.position, ended, succeeded) })),
    ended,
    succeeded,
    transaction: succeeded ? record.transaction : null,
  };
}

function stateOf(index: number, position: number, ended: boolean, succeeded: boolean): StepState {
  if (index !== position) return index < position ? 'done' : 'ahead';
  if (!ended) return 'current';
  return succeeded ? 'done' : 'failed';
}
