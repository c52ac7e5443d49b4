/** The sandbox's own bodies: clock, night, tampering, exports, counters, live orders and deliveries. */
import { z } from 'zod';
import { instant } from './scalars.ts';

const CLOCK_ERROR = 'give advanceMs, a number of at least 0, at, an ISO 8601 instant, or speed';

/** The first of these that fits is applied; further fields are ignored. */
export const clockRequest = z.union(
  [
    z.object({ advanceMs: z.number().nonnegative().describe('Milliseconds to move the clock on by.') }),
    z.object({
      speed: z.number().min(0.001).max(100_000).describe('How many times faster live records move on from now.'),
    }),
    z.object({
      at: z
        .string()
        .refine((text) => !Number.isNaN(Date.parse(text)))
        .meta({ format: 'date-time', description: 'The instant to set the clock to, back in time too.' }),
    }),
  ],
  { error: CLOCK_ERROR },
);

export const clockAnswer = z.strictObject({ now: instant });

const NIGHT_ERROR = { error: 'night must be 1 or 2' };
export const nightRequest = z.looseObject({ night: z.literal([1, 2], NIGHT_ERROR) }, NIGHT_ERROR);
export const nightAnswer = z.strictObject({ night: z.literal([1, 2]) });

/** Fields of a record, by name, as its endpoint answers from now on. */
export const tamperRequest = z.record(z.string(), z.unknown(), { error: 'body must be an object of changed fields' });
export const tamperAnswer = z.strictObject({ tampered: z.array(z.string()) });

/**
 * How a live record ends. `held` waits until the release endpoint is called; `returned` was paid and sent back (field
 * facts: the event RETURNED matches no status); `failed` is a payment that failed and expired. `unverified` and `rejected`
 * fail the verification of the user and the final check, whose error screens lead to `failureUrl` (spec §2.11).
 */
export const OUTCOMES = {
  purchase: ['released', 'held', 'failed', 'returned', 'expired', 'unverified', 'rejected'],
  sale: ['released', 'expired'],
} as const;

const kind = z.enum(['purchase', 'sale']);

export const answerKey = z.array(
  z.strictObject({
    kind,
    id: z.string(),
    defect: z.string().describe('What is wrong with the record, for people.'),
    codes: z.array(z.string()).describe('Every break code that is due for it; none for a near-miss.'),
    also: z.array(z.string()).optional().describe('Codes that speak of the same thing on some days, and need not.'),
    figures: z
      .array(
        z.object({
          code: z.string(),
          expected: z.number(),
          expectedUpTo: z.number().optional().describe('What was published at its time counts as well: up to this.'),
          actual: z.number(),
          unit: z.enum(['money', 'rate']),
          loss: z.number().nullable().describe('What the user lost by it.'),
        }),
      )
      .describe('The figures of those codes that speak of a figure of the record.'),
    night: z.literal([1, 2]).describe('The first night on which they are due.'),
  }),
);

export const partnerKey = z
  .strictObject({
    months: z.array(z.string()).describe('In order.'),
    threshold: z.number().describe('In EUR: less than this, over all currencies, is paid with a later month.'),
    statements: z
      .array(z.strictObject({ date: z.string(), payments: z.string(), lines: z.string().nullable() }))
      .describe('By the day on which they come: CSV for `tieout payouts import`, and with `--lines`.'),
    codes: z.array(z.string()).describe('Every break that is due in the end: code, month and currency.'),
    owedEur: z.number().describe('What it owes then, to a few cents of rounding; in other currencies nothing.'),
    buckets: z
      .array(z.strictObject({ id: z.string(), month: z.string(), bucket: z.string() }))
      .describe('Of months with lines: where each purchase belongs in `payout_lines.csv`.'),
  })
  .nullable();

export const stats = z.strictObject({
  requests: z.int().describe('Everything that arrived under `/api`, rejected requests included.'),
  byEndpoint: z.record(z.string(), z.int()).describe('By `METHOD /path` with parameters named.'),
  limits: z.array(
    z.strictObject({
      requests: z.int(),
      perMs: z.int(),
      maxSeen: z.int().describe('The most requests of one address in any rolling window of that length.'),
    }),
  ),
  rejected: z.int().describe('Answered 429, those of blocked addresses included.'),
  whileBlocked: z.int().describe('Came while their address was blocked for the hour.'),
  byHostApiKey: z.record(z.string(), z.int()).describe('Live records by the integration key that they came with.'),
});

export const liveLines = z.array(
  z.strictObject({ kind, id: z.string(), view_token: z.string(), created_at: instant, status: z.string() }),
);

export const deliveries = z.array(
  z.strictObject({
    number: z.int().min(1),
    kind,
    recordId: z.string(),
    type: z.string().describe('CREATED, RELEASED, RETURNED or EXPIRED.'),
    url: z.string(),
    state: z
      .enum(['pending', 'delivered', 'dropped', 'refused'])
      .describe(
        'refused: an address that a sandbox does not call. dropped: five attempts failed, and there is no sixth.',
      ),
    attempts: z.array(z.strictObject({ at: instant, status: z.int().nullable(), problem: z.string().nullable() })),
    nextAttemptAt: instant.nullable(),
  }),
);

/** Demo and live webhooks are signed with different keys (field facts). */
const ENVIRONMENTS = ['live', 'demo'] as const;
export const environmentQuery = z.object({
  environment: z.enum(ENVIRONMENTS, { error: 'environment must be live or demo' }).default('live'),
});

/** A live order and its receipt. */
export const LiveOrder = z.strictObject({
  kind: z.enum(['purchase', 'sale']),
  cryptoAssetSymbol: z.string(),
  fiatCurrency: z.string(),
  fiatValue: z.number().optional(),
  cryptoAmount: z.string().optional(),
  method: z.string().describe('A payment or payout method.'),
  userCountryCode: z.string().optional(),
  address: z
    .string()
    .optional()
    .describe('Where the crypto goes; for a sale, where it comes from. Drawn where absent.'),
  outcome: z.enum(OUTCOMES.purchase).optional().describe('`released` where absent.'),
  webhookUrl: z.string().max(2048).optional().describe('Called back with its query unchanged.'),
  hostApiKey: z.string().optional(),
  environment: z
    .enum(ENVIRONMENTS)
    .optional()
    .describe(
      'Whose key signs its webhooks: the two environments of a deployment differ in nothing else. `live` where absent.',
    ),
  quotedAt: z.string().optional().describe('When the price was shown. Refused where another price has come since.'),
});

/** The answer to an order; the widget's own order also gets the address of the API. */
export function receiptOf({ Purchase, Sale }: { Purchase: z.ZodType; Sale: z.ZodType }) {
  return z.looseObject({
    kind: z.enum(['purchase', 'sale']),
    id: z.string(),
    viewToken: z.string(),
    payInAddress: z.string().nullable().describe('Where a seller sends the crypto.'),
    body: z.union([Purchase, Sale]),
  });
}
