/** Money at stake from the facts of a set, for its workbook and its page. */
import { z } from 'zod';
import { Decimal } from '../domain/decimal.ts';
import type { Reporting } from '../domain/reporting.ts';
import { readStake, type StakeFigures } from '../domain/stake-tally.ts';
import type { SetFacts } from '../ports/html-view.ts';

/** As `stakeAsJson` writes it. */
const stake = z.looseObject({
  records_at_risk: z.int().min(0),
  money_at_stake: z.array(
    z.union([
      z.object({
        currency: z.string(),
        bearer: z.enum(['user', 'service', 'host']),
        records: z.int(),
        total: z.string(),
        pending: z.string(),
        claimed: z.string(),
      }),
      // Of a set from before bearers were kept apart.
      z
        .object({
          currency: z.string(),
          records: z.int(),
          total: z.string(),
          users_loss: z.string(),
          services_loss: z.string(),
        })
        .transform(({ users_loss: usersLoss, services_loss: servicesLoss, ...each }) => ({
          ...each,
          usersLoss,
          servicesLoss,
        })),
    ]),
  ),
  waived: z.array(
    z.object({
      by: z.string(),
      currency: z.string().nullable(),
      bearer: z.enum(['user', 'service', 'host']).nullable().default(null),
      breaks: z.int(),
      total: z.string().nullable(),
    }),
  ),
});

const reporting = z.object({
  reporting: z.looseObject({
    currency: z.string(),
    rates: z.array(z.object({ currency: z.string(), rate: z.string(), source: z.string(), date: z.string() })),
  }),
});

/** Null for a set without a reporting currency. */
export function reportingOfSet(facts: SetFacts): Reporting | null {
  const parsed = reporting.safeParse(facts);
  if (!parsed.success) return null;
  const { currency, rates } = parsed.data.reporting;
  return {
    currency,
    rates: new Map(rates.map(({ currency: of, rate, ...each }) => [of, { ...each, rate: Decimal.parse(rate) }])),
  };
}

/** Null for a set that does not say. */
export function stakeOfSet(facts: SetFacts): StakeFigures | null {
  const parsed = stake.safeParse(facts);
  if (!parsed.success) return null;
  const { records_at_risk: recordsAtRisk, money_at_stake: open, waived } = parsed.data;
  return readStake({ recordsAtRisk, open, waived });
}
