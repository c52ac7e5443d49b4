/** Money at stake from the facts of a set, for its workbook and its page. */
import { z } from 'zod';
import { readStake, type StakeFigures } from '../domain/stake-tally.ts';
import type { SetFacts } from '../ports/html-view.ts';

/** As `stakeAsJson` writes it. */
const stake = z.looseObject({
  records_at_risk: z.int().min(0),
  money_at_stake: z.array(
    z.object({
      currency: z.string(),
      records: z.int(),
      total: z.string(),
      users_loss: z.string(),
      services_loss: z.string(),
    }),
  ),
  waived: z.array(
    z.object({
      by: z.string(),
      currency: z.string().nullable(),
      breaks: z.int(),
      total: z.string().nullable(),
    }),
  ),
});

/** Null for a set that does not say. */
export function stakeOfSet(facts: SetFacts): StakeFigures | null {
  const parsed = stake.safeParse(facts);
  if (!parsed.success) return null;
  const { records_at_risk: recordsAtRisk, money_at_stake: open, waived } = parsed.data;
  return readStake({
    recordsAtRisk,
    open: open.map(({ users_loss: usersLoss, services_loss: servicesLoss, ...each }) => ({
      ...each,
      usersLoss,
      servicesLoss,
    })),
    waived,
  });
}
