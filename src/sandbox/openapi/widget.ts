/** The hosted widget page (spec §2.11, §4.4) and what it alone asks. Another deployment's page has calls of its own. */
import { z } from 'zod';
import type { Endpoint, Operation } from '../../openapi/contract.ts';
import { ERROR_CODES } from '../errors.ts';
import { widgetOrder, widgetWish } from '../widget/requests.ts';
import { RECORD_REFUSALS, reading, refusedBody } from './answers.ts';
import { ORDER_REFUSALS, receipt } from './levers.ts';
import { ID } from './records.ts';

const named = z.strictObject({ value: z.string(), name: z.string() });
const coded = z.strictObject({ code: z.string(), name: z.string() });

const choices = z.strictObject({
  assets: z.array(z.strictObject({ id: z.string(), name: z.string(), symbol: z.string(), testAddress: z.string() })),
  currencies: z.array(coded),
  outcomes: z.array(named),
});

const settings = z.strictObject({
  hostAppName: z.string(),
  hostLogoUrl: z.string().nullable(),
  flows: z.array(z.enum(['onramp', 'offramp'])),
  flow: z.enum(['onramp', 'offramp']),
  choices: z.strictObject({ onramp: choices.optional(), offramp: choices.optional() }),
  preset: z.strictObject({
    asset: z.string().nullable(),
    currency: z.string().nullable(),
    amount: z.string().nullable(),
    unit: z.enum(['fiat', 'crypto']),
    method: z.string().nullable(),
    country: z.string().nullable(),
  }),
  countries: z.array(coded),
  userAddress: z.string().nullable(),
  userEmailAddress: z.string().nullable(),
  finalUrl: z.string().nullable(),
  successUrl: z.string().nullable(),
  failureUrl: z.string().nullable(),
  sendCrypto: z.boolean(),
  hideExitButton: z.boolean(),
  variant: z.string(),
  warnings: z.array(z.string()).describe('Parameters that were left out, and why.'),
  apiUrl: z.string(),
});

const cannotStart = z.strictObject({
  problems: z.array(z.string()),
  warnings: z.array(z.string()),
  code: z.literal('SANDBOX.WIDGET_CONFIG_FAILED'),
  statusCode: z.literal(400),
});

const shownQuote = z.strictObject({
  quotedAt: z.string().meta({ format: 'date-time', description: 'What an order gives back.' }),
  validFor: z.number().describe('Milliseconds until prices change.'),
  methods: z.array(
    z.strictObject({
      name: z.string(),
      label: z.string(),
      pays: z.string(),
      gets: z.string(),
      fee: z.string(),
      baseFee: z.string(),
      networkFee: z.string().nullable(),
      rate: z.string(),
      problem: z.string().nullable().describe('Why it cannot be ordered.'),
    }),
  ),
});

const progress = z.strictObject({
  status: z.string(),
  says: z.string(),
  steps: z.array(z.strictObject({ says: z.string(), state: z.enum(['done', 'current', 'ahead', 'failed']) })),
  ended: z.boolean(),
  succeeded: z.boolean(),
  transaction: z.string().nullable(),
});

/** The parameters that cannot be missing; the others are those of the widget (spec §2.11). */
const PARAMETERS = z.object({
  hostAppName: z.string().describe('Name of the integrating app.'),
  hostLogoUrl: z.string().describe('Its logo.'),
  hostApiKey: z.string().describe('The integration key.'),
  enabledFlows: z.string().optional().describe('`ONRAMP`, `OFFRAMP`, or both with a comma between.'),
});

const VIEW_TOKEN = z.object({
  'X-View-Token': z.string().describe('The view token; in a header, so that no page address ever holds it.'),
});

const file = (path: string, id: string, summary: string, mediaType: string): Endpoint => ({
  method: 'GET',
  path,
  id,
  tag: 'widget',
  summary,
  answers: { 200: { says: 'The file.', schema: z.string(), mediaType } },
});

const progressOf = (path: string, id: string, what: string): Endpoint => ({
  method: 'GET',
  path,
  id,
  tag: 'widget',
  summary: `How far a ${what} has come`,
  params: ID,
  headers: VIEW_TOKEN,
  answers: {
    200: { says: 'Its steps, for the person who waits.', schema: progress },
    403: RECORD_REFUSALS[403],
    404: RECORD_REFUSALS[404],
  },
});

const quoted: Operation['answers'] = {
  200: { says: 'Every method at once, in words and figures.', schema: shownQuote },
  400: refusedBody('Type an amount of EUR, such as 50.', { [ERROR_CODES.assetNotSupported]: {} }),
};

export const WIDGET_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/',
    id: 'getWidget',
    tag: 'widget',
    summary: 'The widget page',
    about: 'Further parameters: spec §2.11. What is wrong with them is said by the page itself.',
    query: PARAMETERS,
    answers: { 200: { says: 'The page.', schema: z.string(), mediaType: 'text/html' } },
  },
  file('/widget/widget.js', 'getWidgetScript', 'Script of the page', 'text/javascript'),
  file('/widget/widget.css', 'getWidgetStyle', 'Style of the page', 'text/css'),
  file('/widget/logo.svg', 'getExampleLogo', 'A logo for examples', 'image/svg+xml'),
  {
    method: 'GET',
    path: '/widget/settings',
    id: 'getWidgetSettings',
    tag: 'widget',
    summary: 'What the page is to show, read from its own parameters',
    query: PARAMETERS,
    answers: {
      200: { says: 'The settings, and warnings for what was left out.', schema: settings },
      400: { says: 'The widget cannot start: every problem at once.', schema: cannotStart },
    },
  },
  {
    method: 'POST',
    path: '/widget/quote',
    id: 'showQuote',
    tag: 'widget',
    summary: 'The price of what was typed',
    body: { schema: widgetWish },
    answers: reading(quoted),
  },
  {
    method: 'POST',
    path: '/widget/orders',
    id: 'orderByWidget',
    tag: 'widget',
    summary: 'Makes a purchase or a sale for the person at the page',
    body: { schema: widgetOrder },
    answers: reading({ 201: { says: 'It is made.', schema: receipt }, ...ORDER_REFUSALS }),
  },
  progressOf('/widget/purchases/{id}', 'getPurchaseProgress', 'purchase'),
  progressOf('/widget/sales/{id}', 'getSaleProgress', 'sale'),
];
