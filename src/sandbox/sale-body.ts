/** A sale as `GET /host-api/offramp/sale/{id}` gives it (spec §2.8): the declared fields, and the further ones met in the field. */
import { drawTransaction } from './addresses.ts';
import type { Body, Night } from './contract.ts';
import { Draws } from './random.ts';
import type { RecordPlan } from './record-plan.ts';
import { recordFigures } from './record-quote.ts';
import { standingOn, wasReleased } from './standing.ts';
import type { World } from './world.ts';

const STREAM = 25;

/** What the two sides of a sale say at each status. */
const SIDES: Readonly<Record<string, { crypto: string; fiat: string }>> = {
  CREATED: { crypto: 'initiated', fiat: 'not-started' },
  RELEASED: { crypto: 'completed', fiat: 'completed' },
  EXPIRED: { crypto: 'not-started', fiat: 'not-started' },
};

export function saleBody(plan: RecordPlan, night: Night, world: World): Body {
  const draws = new Draws(world.seed, plan.index, STREAM);
  const figures = recordFigures(plan, world);
  const standing = standingOn(plan, night, world);
  const { asset, currency, method } = plan;
  const token = world.ids.token(plan.index);
  // What ended badly says so: without a status, nobody could tell an expired sale from a finished one.
  const says = draws.chance(0.6) || standing.status === 'EXPIRED';
  const sides = draws.chance(0.6) ? SIDES[standing.status] : undefined;
  const asText = draws.chance(0.25);
  return {
    id: world.ids.id(plan.index, 'sale'),
    ...drawTokens(draws, token),
    createdAt: new Date(plan.createdAt).toISOString(),
    ...(draws.chance(0.7) ? { updatedAt: new Date(standing.since).toISOString() } : {}),
    ...(says ? { status: standing.status } : {}),
    crypto: {
      amount: figures.units.toString(),
      ...(sides === undefined ? {} : { status: sides.crypto }),
      assetInfo: {
        address: asset.address,
        symbol: asset.symbol,
        chain: asset.chain,
        type: asset.type,
        name: asset.name,
        decimals: asset.decimals,
      },
    },
    fiat: {
      amount: asText ? String(figures.fiatValue) : figures.fiatValue,
      currencySymbol: currency.code,
      ...(sides === undefined ? {} : { status: sides.fiat }),
      ...(plan.hidesMethod ? {} : { payoutMethod: method.name }),
    },
    ...(draws.chance(0.6) ? { fees: { amount: String(figures.appliedFee), currencySymbol: currency.code } } : {}),
    ...(draws.chance(0.6) ? { exchangeRate: String(figures.rate), cryptoToEurRate: figures.rateEur } : {}),
    ...(wasReleased(plan, night, world)
      ? { transactionHash: drawTransaction(new Draws(world.seed, plan.index, STREAM + 1), asset.chain) }
      : {}),
  };
}

/** The specification's name, the events' name, or both. */
function drawTokens(draws: Draws, token: string): Body {
  const form = draws.weighted(['specified', 'both', 'event'] as const, (each) => (each === 'specified' ? 6 : 2));
  return {
    ...(form === 'event' ? {} : { purchaseViewToken: token }),
    ...(form === 'specified' ? {} : { saleViewToken: token }),
  };
}
