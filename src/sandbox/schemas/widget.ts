/** Requests of the hosted page, and their answers. */
import { z } from 'zod';
import { OUTCOMES } from './control.ts';
import type { Answered } from './scalars.ts';

export const widgetWish = z.strictObject({
  direction: z.enum(['onramp', 'offramp']),
  asset: z.string(),
  currency: z.string(),
  amount: z.string().max(80),
  unit: z.enum(['fiat', 'crypto']),
  country: z.string().nullable(),
});

export type QuoteWish = Answered<typeof widgetWish>;

export const recalculation = z.strictObject({ amount: z.string().max(80), from: z.string(), to: z.string() });
export const recalculated = z.strictObject({ amount: z.string() });

export const widgetOrder = widgetWish.extend({
  /** The page's own query: the server reads the integrator's settings from it again and does not trust the page. */
  parameters: z.string().max(16_384),
  method: z.string(),
  address: z.string().max(128),
  outcome: z.enum(OUTCOMES.purchase),
  quotedAt: z.string(),
});

const named = z.strictObject({ value: z.string(), name: z.string() });
const coded = z.strictObject({ code: z.string(), name: z.string() });

export type Choices = Answered<typeof choices>;
const choices = z.strictObject({
  assets: z.array(z.strictObject({ id: z.string(), name: z.string(), symbol: z.string(), testAddress: z.string() })),
  currencies: z.array(coded),
  outcomes: z.array(named),
});

export const settings = z.strictObject({
  hostAppName: z.string(),
  hostLogoUrl: z.string().nullable(),
  flows: z.array(z.enum(['onramp', 'offramp'])).describe('Never empty; the page shows a choice where there are two.'),
  flow: z.enum(['onramp', 'offramp']),
  choices: z.strictObject({ onramp: choices.optional(), offramp: choices.optional() }),
  preset: z.strictObject({
    asset: z.string().nullable().describe('Identifier, or null for the first of the list.'),
    currency: z.string().nullable(),
    amount: z.string().nullable().describe('In `unit`.'),
    unit: z.enum(['fiat', 'crypto']),
    method: z.string().nullable(),
    country: z.string().nullable(),
  }),
  countries: z.array(coded),
  userAddress: z.string().nullable(),
  userEmailAddress: z.string().nullable(),
  finalUrl: z.string().nullable().describe('Of purchases only, and only where the page is hosted.'),
  successUrl: z.string().nullable(),
  failureUrl: z.string().nullable(),
  sendCrypto: z.boolean(),
  hideExitButton: z.boolean(),
  variant: z.string(),
  warnings: z.array(z.string()).describe('Parameters that were left out, and why.'),
  apiUrl: z.string(),
});

export type ShownSettings = Answered<typeof settings>;
export type Preset = ShownSettings['preset'];

export const cannotStart = z.strictObject({
  problems: z.array(z.string()),
  warnings: z.array(z.string()),
  code: z.literal('SANDBOX.WIDGET_CONFIG_FAILED'),
  statusCode: z.literal(400),
});

export const shownQuote = z.strictObject({
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

export type ShownQuote = Answered<typeof shownQuote>;
export type ShownOffer = ShownQuote['methods'][number];

export const progress = z.strictObject({
  status: z.string(),
  says: z.string(),
  steps: z.array(z.strictObject({ says: z.string(), state: z.enum(['done', 'current', 'ahead', 'failed']) })),
  ended: z.boolean(),
  succeeded: z.boolean().describe('Ended as it should.'),
  transaction: z.string().nullable().describe('The transaction on the chain, once there is one.'),
});

export type Progress = Answered<typeof progress>;

/** The parameters that cannot be missing; the others are those of the widget (spec §2.11). */
export const pageParameters = z.object({
  hostAppName: z.string().describe('Name of the integrating app.'),
  hostLogoUrl: z.string().describe('Its logo.'),
  hostApiKey: z.string().describe('The integration key.'),
  enabledFlows: z.string().optional().describe('`ONRAMP`, `OFFRAMP`, or both with a comma between.'),
});

export const viewTokenHeader = z.object({
  'X-View-Token': z.string().describe('The view token; in a header, so that no page address ever holds it.'),
});
