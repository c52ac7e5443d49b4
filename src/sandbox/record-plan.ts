/**
 * The plan of one record: everything that is decided before any figure is computed. A pure function of the world and
 * the index. A defect only narrows what is drawn, so the rest of a record does not depend on it.
 */
import { amountBetween, inOddCell, roundedUnits, unmistakableAmount, usualAmount } from './amounts.ts';
import { BOUGHT_ASSETS, type CatalogueAsset, catalogueAsset, SOLD_ASSETS } from './assets-catalogue.ts';
import type { Night, SandboxInstant, SandboxKind } from './contract.ts';
import type { Conditions, Defect } from './defects/defect.ts';
import { drawFactor, drawFloatingJourney, type Floating } from './floating.ts';
import { drawJourney, type Journey, type StatusAtTime, statusAt, TERMINAL } from './journey.ts';
import { MINUTE } from './market.ts';
import {
  CURRENCIES,
  type Direction,
  type FiatCurrency,
  type Method,
  methodsOf,
  supportedMethods,
} from './payment-tables.ts';
import { offersFor, type RequestedAmount } from './pricing.ts';
import { Draws } from './random.ts';
import { NIGHT_LENGTH, type World } from './world.ts';

const STREAM = 21;
const FLOATING_STREAM = 51;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface RecordPlan {
  index: number;
  kind: SandboxKind;
  direction: Direction;
  defect: Defect | null;
  asset: CatalogueAsset;
  currency: FiatCurrency;
  method: Method;
  createdAt: SandboxInstant;
  /** When the user was shown the quote: 1 to 25 minutes before. */
  capturedAt: SandboxInstant;
  asked: RequestedAmount;
  api: 'v1' | 'v3';
  /** `captured`: the tracked line names no quote. */
  linking: 'linked' | 'captured';
  journey: Journey;
  /** Null for a record with the figures of its quote: in a calm market, and where a defect is to be seen against them. */
  floating: Floating | null;
  /** The body does not say how it is paid out (sales only, spec §2.8); the currency then has a single payout method. */
  hidesMethod: boolean;
}

/** Users whose quote is found by its amount take turns at this many assets. Prime, so that no rhythm of indices meets it. */
const TURN = 23;

export function planRecord(world: World, index: number): RecordPlan {
  const defect = world.allocation.defectOf(index);
  const wants = defect?.wants ?? {};
  const draws = new Draws(world.seed, index, STREAM);
  const drawnKind = draws.chance(0.7) ? 'purchase' : 'sale';
  const kind = wants.kind ?? drawnKind;
  const direction = kind === 'purchase' ? 'onramp' : 'offramp';
  const linking = wants.linking ?? (index % 10 === 9 ? 'captured' : 'linked');
  const currency = drawCurrency(draws, direction, wants);
  const method = drawMethod(draws, direction, currency, wants);
  const asset = drawAsset(draws, direction, linking, index, wants);
  const createdAt = drawCreation(draws, world, index, wants);
  const capturedAt = createdAt - Math.round(draws.between(1, 25) * MINUTE);
  const v1 = draws.chance(0.45);
  const silent = draws.chance(0.4);
  const drawn = drawJourney(draws, kind, method);
  const basics = { index, kind, direction, defect, asset, currency, method, createdAt, capturedAt, linking } as const;
  return {
    ...basics,
    asked: drawRequestedAmount(draws, world, basics, wants),
    api: kind === 'sale' ? 'v3' : (wants.api ?? (v1 ? 'v1' : 'v3')),
    ...(world.floats ? float(world, basics) : { journey: drawn, floating: null }),
    hidesMethod:
      kind === 'sale' &&
      linking === 'linked' &&
      silent &&
      wants.complete !== true &&
      supportedMethods('offramp', currency.code).length === 1,
  };
}

function drawCurrency(draws: Draws, direction: Direction, wants: Conditions): FiatCurrency {
  const possible = CURRENCIES.filter(
    (currency) =>
      (direction === 'onramp' ? currency.onramp : currency.offramp) &&
      (wants.currencies === undefined || wants.currencies.includes(currency.code)) &&
      (wants.methods === undefined ||
        supportedMethods(direction, currency.code).some(({ name }) => wants.methods?.includes(name))),
  );
  return draws.weighted(possible, ({ weight }) => weight);
}

function drawMethod(draws: Draws, direction: Direction, currency: FiatCurrency, wants: Conditions): Method {
  const possible = methodsOf(direction).filter(
    ({ name, currencies }) =>
      currencies.includes(currency.code) && (wants.methods === undefined || wants.methods.includes(name)),
  );
  const drawn = draws.weighted(possible, ({ weight }) => weight);
  return wants.method ?? drawn;
}

function drawAsset(
  draws: Draws,
  direction: Direction,
  linking: 'linked' | 'captured',
  index: number,
  wants: Conditions,
): CatalogueAsset {
  const list = direction === 'onramp' ? BOUGHT_ASSETS : SOLD_ASSETS;
  const drawn = draws.weighted(list, ({ weight }) => weight);
  if (wants.assets !== undefined) return catalogueAsset(draws.pick(wants.assets));
  return linking === 'captured' ? (list[index % TURN] ?? drawn) : drawn;
}

function drawCreation(draws: Draws, { now, days, records }: World, index: number, wants: Conditions): SandboxInstant {
  const slot = (days * DAY) / records;
  const regular = now - days * DAY + (index + draws.between(0.1, 0.9)) * slot;
  const age = draws.unit();
  if (wants.ageHours === undefined) return Math.floor(regular);
  const [youngest, oldest] = wants.ageHours;
  return Math.floor(now - (youngest + age * (oldest - youngest)) * HOUR);
}

type Basics = Omit<RecordPlan, 'asked' | 'api' | 'journey' | 'floating' | 'hidesMethod'>;

function float(
  world: World,
  { index, kind, linking, method, defect, createdAt }: Basics,
): Pick<RecordPlan, 'journey' | 'floating'> {
  const draws = new Draws(world.seed, index, FLOATING_STREAM);
  const silent = kind === 'sale' && world.bodies === 'spec';
  const factor = drawFactor(draws);
  const journey = drawFloatingJourney(draws, kind, method, { pays: defect !== null, silent });
  if (defect !== null && defect.floats !== true) return { journey, floating: null };
  const ended = Number.isFinite(journey.executes) ? journey.executes : journey.lasts;
  const settledAt = createdAt + ended;
  return {
    journey,
    floating: {
      settledAt: silent ? Math.min(settledAt, world.now) : settledAt,
      factor: defect === null && linking === 'linked' ? factor : 1,
    },
  };
}

function drawRequestedAmount(draws: Draws, world: World, plan: Basics, wants: Conditions): RequestedAmount {
  const { linking, index, currency, kind } = plan;
  // A record that is found by its amount asks for fiat: typed amounts of crypto are round, and many records share them.
  if (linking === 'captured') return { fiat: unmistakableAmount(draws, Math.floor(index / TURN), currency) };
  const byCrypto = draws.chance(kind === 'purchase' ? 0.3 : 0.8);
  if (wants.fiatEur !== undefined) return { fiat: amountBetween(draws, wants.fiatEur, currency) };
  const fiat = usualAmount(draws, currency);
  return byCrypto ? cryptoWorth(plan, fiat, world) : { fiat };
}

/** A typed amount of crypto worth about `fiat`: as few digits as keep it out of the cells of records found by amount. */
function cryptoWorth(plan: Basics, fiat: number, world: World): RequestedAmount {
  const units = offered(plan, { fiat }, world)?.units;
  if (units === undefined) return { fiat };
  const rough = { units: roundedUnits(units, 2) };
  const worth = offered(plan, rough, world)?.fiatValue;
  const harmless = worth !== undefined && worth > fiat * 0.9 && !inOddCell(worth, plan.currency);
  return harmless ? rough : { units: roundedUnits(units, 7) };
}

function offered(plan: Basics, asked: RequestedAmount, world: World) {
  const { direction, asset, currency, method, capturedAt: at } = plan;
  return offersFor({ direction, asset, currency: currency.code, asked, methods: [method], at }, world.market)[0]
    ?.figures;
}

// The status of a record on a night: by its journey, or by what its defect needs.

/** Time of a defect's change on the day between the nights. */
const CHANGED_AFTER = 9 * HOUR;

export function statusOn(plan: RecordPlan, night: Night, world: World): StatusAtTime {
  const statuses = plan.defect?.wants?.statuses;
  if (statuses === undefined) return statusAt(plan.journey, plan.createdAt, nightAt(night, world));
  const [first, second] = statuses;
  const status = night === 1 ? first : second;
  const since = night === 2 && first !== second ? changedAt(world) : plan.createdAt + HOUR;
  return { status, since, terminal: TERMINAL.has(status) };
}

/** The moment at which a night sees the population. */
export function nightAt(night: Night, { now }: World): SandboxInstant {
  return now + (night - 1) * NIGHT_LENGTH;
}

/** The moment of changes between the nights. */
export function changedAt(world: World): SandboxInstant {
  return world.now + CHANGED_AFTER;
}

/** True once the crypto was sent, even if the status has moved back since, because a transaction stays. */
export function wasReleased(plan: RecordPlan, night: Night, world: World): boolean {
  return (
    statusOn(plan, night, world).status === 'RELEASED' ||
    (night === 2 && statusOn(plan, 1, world).status === 'RELEASED')
  );
}
