/** The quote that a record's user was shown: the request, and the response as the endpoint answered it at that time. */

import { catalogueAsset, identifierOf } from './assets-catalogue.ts';
import type { Body, QuoteLine, SandboxInstant } from './contract.ts';
import { isSkimmed, skimmed } from './defects/skim.ts';
import type { Floating } from './floating.ts';
import { GLOBAL_EUR } from './market.ts';
import { type Method, supportedMethods } from './payment-tables.ts';
import { cheapest, type Figures, offersFor } from './pricing.ts';
import { quoteV1, quoteV3 } from './quote-bodies.ts';
import { Draws } from './random.ts';
import type { RecordPlan } from './record-plan.ts';
import type { World } from './world.ts';

const STREAM = 22;
/** Above every published minimum. */
const LEAST_EUR = 60;

/** Thrown when a record was planned for an amount that its fees use up: the tables of amounts and fees contradict. */
export class UnpricedRecordError extends Error {
  override readonly name = 'UnpricedRecordError';
  constructor(index: number) {
    super(`record ${index} has nothing left after fees; raise the least amounts or lower the fees of the catalogue`);
  }
}

/** The promise of the quote for the record's own method. */
export function quotedFigures(plan: RecordPlan, world: World): Figures {
  const { direction, asset, currency, method, asked, capturedAt: at } = plan;
  const [offer] = offersFor({ direction, asset, currency: currency.code, asked, methods: [method], at }, world.market);
  if (offer === undefined) throw new UnpricedRecordError(plan.index);
  return offer.figures;
}

/**
 * The record's own figures, unless its defect changes them: the promised ones, or in a floating market those of the moment.
 * @param at for an unpaid record, whose figures are estimates; absent: as they are in the end
 */
export function recordFigures(plan: RecordPlan, world: World, at = Number.POSITIVE_INFINITY): Figures {
  const quoted = quotedFigures(plan, world);
  const own = plan.floating === null ? quoted : figuresAt(plan, plan.floating, quoted, at, world);
  return plan.defect?.figures?.(own, plan.asset.decimals) ?? (isSkimmed(plan, world) ? skimmed(own, plan) : own);
}

/** A buyer's money and a seller's crypto stay; the other side has the price of the moment. */
function figuresAt(
  { index, kind, direction, asset, currency, method, capturedAt: agreedAt }: RecordPlan,
  { settledAt, factor }: Floating,
  quoted: Figures,
  at: SandboxInstant,
  { market }: World,
): Figures {
  // No user can take less than the least amount, or more than the greatest.
  const worth = quoted.fiatValue * factor * market.at(agreedAt).fiatEur(currency.code);
  // Below the published maximum: payouts float with the price.
  const most = 0.9 * (asset.maxEur === -1 ? GLOBAL_EUR.maxPurchaseAmount : asset.maxEur);
  const isPossible = factor < 1 ? worth >= LEAST_EUR : worth <= most;
  const share = isPossible ? factor : 1;
  const fiat = share === 1 ? quoted.fiatValue : Number((quoted.fiatValue * share).toFixed(currency.typedDigits));
  const units = share === 1 ? quoted.units : BigInt(Math.round(Number(quoted.units) * share));
  const asked = kind === 'purchase' ? { fiat } : { units };
  const moment = { at: Math.min(at, settledAt), agreedAt };
  const [offer] = offersFor({ direction, asset, currency: currency.code, asked, methods: [method], ...moment }, market);
  if (offer === undefined) throw new UnpricedRecordError(index);
  return offer.figures;
}

export function quoteId(plan: RecordPlan): string {
  return `q-${plan.index + 1}`;
}

/** Null where the defect is that none was exported. */
export function quoteLine(plan: RecordPlan, world: World): QuoteLine | null {
  if (plan.defect?.withoutQuote === true) return null;
  const draws = new Draws(world.seed, plan.index, STREAM);
  return {
    quote_id: quoteId(plan),
    direction: plan.direction,
    api_version: plan.api,
    captured_at: new Date(plan.capturedAt).toISOString(),
    ...exchange(plan, world, draws),
  };
}

function exchange(plan: RecordPlan, world: World, draws: Draws): { request: Body; response: Body } {
  const { direction, currency, capturedAt: at, defect, method } = plan;
  const own = identifierOf(plan.asset);
  const identifier = defect?.quotedAsset?.(own) ?? own;
  const asset = catalogueAsset(identifier);
  const methods = offeredMethods(plan);
  const all = offersFor({ direction, asset, currency: currency.code, asked: plan.asked, methods, at }, world.market);
  const offers = defect?.offers?.(all, method) ?? all;
  const amount = 'fiat' in plan.asked ? { fiatValue: plan.asked.fiat } : { cryptoAmount: plan.asked.units.toString() };
  const request: Body = { cryptoAssetSymbol: identifier, fiatCurrency: currency.code, ...amount };
  const facts = {
    direction,
    asset,
    currency: currency.code,
    at,
    identifierName: world.identifierName,
    bodies: world.bodies,
  };
  if (plan.api === 'v3') {
    if (draws.chance(0.5)) request.userCountryCode = currency.country;
    return { request, response: quoteV3(facts, offers, world.market) };
  }
  const offer = offers.find((each) => each.method.name === method.name);
  if (offer === undefined) throw new UnpricedRecordError(plan.index);
  // Without a method the cheapest is quoted (spec §2.10), so such a request fits only a user of that method.
  const omitted = cheapest(all) === offer && draws.chance(0.4);
  if (!omitted) request.paymentMethodType = method.name;
  return { request, response: quoteV1(facts, offer, identifier) };
}

/** The offers of the endpoint for the currency, with the record's own method as in the plan. */
function offeredMethods({ direction, currency, method }: RecordPlan): readonly Method[] {
  const supported = supportedMethods(direction, currency.code);
  return supported.some(({ name }) => name === method.name)
    ? supported.map((each) => (each.name === method.name ? method : each))
    : [...supported, method];
}
