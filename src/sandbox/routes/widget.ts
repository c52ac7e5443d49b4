/** The hosted widget page at `/` (spec §2.11, §4.4), and what it alone asks for. */
import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { findAsset } from '../assets-catalogue.ts';
import type { SandboxKind } from '../contract.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import type { LiveRequest } from '../live/contract.ts';
import { progressOf } from '../widget/progress.ts';
import { askedOf, showQuote } from '../widget/quote.ts';
import { widgetOrder, widgetWish } from '../widget/requests.ts';
import { readSettings } from '../widget/settings.ts';
import { pathId, refusal } from './records.ts';
import type { Routes, Site } from './site.ts';

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

export const widgetRoutes: Routes = (app, site) => {
  app.get('/', (_request, reply) => sendPage(reply, 'widget.html', 'text/html; charset=utf-8'));
  app.get('/widget/widget.js', (_request, reply) => sendPage(reply, 'widget.js', 'text/javascript; charset=utf-8'));
  app.get('/widget/widget.css', (_request, reply) => sendPage(reply, 'widget.css', 'text/css; charset=utf-8'));

  app.get('/widget/logo.svg', (_request, reply) => sendPage(reply, 'logo.svg', 'image/svg+xml'));

  app.get('/widget/settings', (request) => {
    const { webhookUrls: _, ...settings } = readSettings(queryOf(request), site.hostApiKeys);
    return { ...settings, apiUrl: apiUrlOf(request) };
  });
  app.post('/widget/quote', (request) => showQuote(read(widgetWish, request.body), site.market, site.clock.now()));
  app.post('/widget/orders', (request, reply) => {
    const receipt = site.live.side.create(liveRequest(request.body, site));
    return reply.code(201).send({ ...receipt, apiUrl: apiUrlOf(request) });
  });
  app.get('/widget/purchases/:id', (request) => progress(request, site, 'purchase'));
  app.get('/widget/sales/:id', (request) => progress(request, site, 'sale'));
};

async function sendPage(reply: FastifyReply, file: string, type: string): Promise<FastifyReply> {
  const text = await readFile(new URL(file, PAGE), 'utf8');
  return reply
    .headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
    .headers({ 'referrer-policy': 'origin' })
    .type(type)
    .send(text);
}

function liveRequest(body: unknown, site: Site): LiveRequest {
  const {
    parameters,
    direction,
    asset: name,
    currency,
    method,
    address,
    outcome,
    quotedAt,
    ...rest
  } = read(widgetOrder, body);
  const settings = readSettings(parameters, site.hostApiKeys);
  const asset = findAsset(name);
  const isOffered = settings.choices[direction]?.assets.some(({ id }) => id === name) === true;
  if (asset === undefined || !isOffered) throw applicationError(400, ERROR_CODES.assetNotSupported);
  const asked = askedOf({ direction, asset: name, currency, ...rest }, asset);
  const webhookUrl = settings.webhookUrls[direction];
  return {
    kind: direction === 'onramp' ? 'purchase' : 'sale',
    cryptoAssetSymbol: name,
    fiatCurrency: currency,
    ...('fiat' in asked ? { fiatValue: asked.fiat } : { cryptoAmount: asked.units.toString() }),
    method,
    ...(rest.country === null ? {} : { userCountryCode: rest.country }),
    address,
    outcome,
    ...(webhookUrl === null ? {} : { webhookUrl }),
    quotedAt,
  };
}

/** The view token comes in a header, so that no page address ever holds it. */
function progress(request: FastifyRequest, site: Site, kind: SandboxKind) {
  const record = site.live.desk.find(kind, pathId(request));
  if (record === null) throw refusal(404);
  if (record.token !== request.headers['x-view-token']) throw refusal(403);
  return progressOf(record);
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw validationError(...result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`));
}

function queryOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function apiUrlOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}/api`;
}
