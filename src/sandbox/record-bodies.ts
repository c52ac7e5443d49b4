/** Records as their endpoints answer: exactly as the specification declares them (§2.8, §2.9), or with what the field adds. */

import { drawAddress, drawTransaction } from './addresses.ts';
import type { CatalogueAsset } from './assets-catalogue.ts';
import type { Body, Night, SandboxInstant } from './contract.ts';
import { passedSteps } from './journey.ts';
import type { Figures } from './pricing.ts';
import { Draws } from './random.ts';
import { nightAt, type RecordPlan, statusOn, wasReleased } from './record-plan.ts';
import { recordFigures } from './record-quote.ts';
import type { World } from './world.ts';

/** An unpaid purchase expires 72 h after it was made (field facts). */
const EXPIRES_AFTER = 72 * 3_600_000;

interface SpecRecord {
  id: string;
  token: string;
  asset: CatalogueAsset;
  currency: string;
  method: string;
  figures: Figures;
  createdAt: SandboxInstant;
  updatedAt: SandboxInstant;
  status: string;
  /** Of a purchase: where the crypto goes. */
  receiverAddress: string;
  /** Milliseconds from creation to expiry, where it is not the usual time. */
  endsAfter?: number | undefined;
  /** Null before the release. */
  transaction: string | null;
}

export function specPurchase(record: SpecRecord, identifierName: string): Body {
  const { asset, figures, createdAt } = record;
  return {
    id: record.id,
    endTime: isoText(createdAt + (record.endsAfter ?? EXPIRES_AFTER)),
    asset: {
      address: asset.address,
      symbol: asset.v1Symbol,
      name: asset.name,
      decimals: asset.decimals,
      type: asset.v1Type,
    },
    cryptoAmount: figures.units.toString(),
    fiatCurrency: record.currency,
    fiatValue: figures.fiatValue,
    assetExchangeRate: figures.rate,
    assetExchangeRateEur: figures.rateEur,
    [`base${identifierName}Fee`]: figures.baseFee,
    networkFee: figures.networkFee,
    appliedFee: figures.appliedFee,
    purchaseViewToken: record.token,
    receiverAddress: record.receiverAddress,
    createdAt: isoText(createdAt),
    updatedAt: isoText(record.updatedAt),
    status: record.status,
    finalTxHash: record.transaction,
    paymentMethodType: record.method,
  };
}

/** Neither a status nor a fee is declared for a sale. */
export function specSale(record: Omit<SpecRecord, 'receiverAddress' | 'transaction' | 'updatedAt' | 'status'>): Body {
  const { asset, figures } = record;
  return {
    id: record.id,
    purchaseViewToken: record.token,
    createdAt: isoText(record.createdAt),
    crypto: { amount: figures.units.toString(), assetInfo: saleAsset(asset) },
    fiat: { amount: figures.fiatValue, currencySymbol: record.currency },
  };
}

/** The asset of a sale, which both kinds of bodies have alike. */
export function saleAsset(asset: CatalogueAsset): Body {
  return {
    address: asset.address,
    symbol: asset.symbol,
    chain: asset.chain,
    type: asset.type,
    name: asset.name,
    decimals: asset.decimals,
  };
}

export function isoText(at: SandboxInstant): string {
  return new Date(at).toISOString();
}

// Records as their endpoints answer (spec §2.8, §2.9): the declared fields, and the further ones of the field facts.

const STREAM = 23;
const ADDRESS_STREAM = 24;
const HOUR = 3_600_000;

/** As the endpoint answers on a night, in the form that the sandbox was started with. */
export function recordBody(plan: RecordPlan, night: Night, world: World): Body {
  if (world.bodies === 'spec') return plannedBody(plan, night, world);
  return plan.kind === 'purchase' ? purchaseBody(plan, night, world) : saleBody(plan, night, world);
}

function plannedBody(plan: RecordPlan, night: Night, world: World): Body {
  const standing = statusOn(plan, night, world);
  const { asset, createdAt, kind } = plan;
  const record = {
    id: world.ids.id(plan.index, kind),
    token: world.ids.token(plan.index),
    asset,
    currency: plan.currency.code,
    method: plan.method.name,
    figures: recordFigures(plan, world, nightAt(night, world)),
    createdAt,
    endsAfter: plan.journey.endsAfter ?? (isUnpaid(plan) ? plan.journey.lasts : undefined),
  };
  if (kind === 'sale') return specSale(record);
  const { receiverAddress, transaction } = deliveryOf(plan, night, world);
  const { since: updatedAt, status } = standing;
  return specPurchase({ ...record, receiverAddress, transaction, updatedAt, status }, world.identifierName);
}

function purchaseBody(plan: RecordPlan, night: Night, world: World): Body {
  const draws = new Draws(world.seed, plan.index, STREAM);
  const figures = recordFigures(plan, world, nightAt(night, world));
  const standing = statusOn(plan, night, world);
  const { receiverAddress, transaction, isNamed } = deliveryOf(plan, night, world);
  const complete = plan.defect?.wants?.complete === true;
  // Drawn whether used or not: a body's optional parts must not depend on one another.
  const sometimes = (probability: number) => draws.chance(probability) || complete;
  const currency = plan.currency.code;
  const { name, oldNames } = plan.method;
  return {
    id: world.ids.id(plan.index, 'purchase'),
    endTime: drawEndTime(draws, plan),
    asset: drawAssetBody(draws, plan.asset),
    ...(sometimes(0.1) ? { escrowAddress: '' } : {}),
    cryptoAmount: figures.units.toString(),
    fiatCurrency: currency,
    fiatValue: figures.fiatValue,
    assetExchangeRate: figures.rate,
    ...(sometimes(0.92) ? { assetExchangeRateEur: figures.rateEur } : {}),
    ...(sometimes(0.8) ? { fiatExchangeRateEur: figures.fiatEur } : {}),
    [`base${world.identifierName}Fee`]: figures.baseFee,
    networkFee: figures.networkFee,
    appliedFee: figures.appliedFee,
    ...(figures.hostFeeCut !== null && (sometimes(0.9) || world.floats) ? { hostFeeCut: figures.hostFeeCut } : {}),
    ...(sometimes(0.9) ? { purchaseViewToken: world.ids.token(plan.index) } : {}),
    receiverAddress,
    ...(isNamed ? { finalTxHash: transaction } : {}),
    createdAt: new Date(plan.createdAt).toISOString(),
    updatedAt: new Date(standing.since).toISOString(),
    status: standing.status,
    // A few records carry the name that their method had before (spec §2.11).
    paymentMethodType: oldNames.length > 0 && draws.chance(0.05) ? draws.pick(oldNames) : name,
    ...(sometimes(plan.floating === null ? 0.15 : 0.5) ? { actions: actionsOf(plan, night, world) } : {}),
  };
}

function actionsOf({ floating, journey, createdAt }: RecordPlan, night: Night, world: World): Body[] {
  const steps =
    floating === null
      ? [{ status: 'INITIALIZED', from: createdAt }]
      : passedSteps(journey, createdAt, nightAt(night, world));
  return steps.map(({ status, from }) => ({ newStatus: status, timestamp: new Date(from).toISOString() }));
}

const isUnpaid = ({ journey }: RecordPlan) => journey.steps.at(-1) === 'EXPIRED';

/** Null, or the expiry: 72 h or 120 h after creation. One that expires sooner names none. */
function drawEndTime(draws: Draws, plan: RecordPlan): string | null {
  const { createdAt, journey } = plan;
  const hours = draws.weighted([0, 72, 120], (each) => (each === 0 ? 2 : 4));
  if (journey.endsAfter !== undefined) return new Date(createdAt + journey.endsAfter).toISOString();
  return hours === 0 || isUnpaid(plan) ? null : new Date(createdAt + hours * HOUR).toISOString();
}

/** The asset in one of its namings; each of them leads to the same chain and v3 symbol. */
function drawAssetBody(draws: Draws, asset: CatalogueAsset): Body {
  const { address, name, decimals, chain } = asset;
  // Only hexadecimal addresses mean the same in both cases.
  const lowered = draws.chance(0.3) && address?.startsWith('0x') === true ? address.toLowerCase() : address;
  const common = { address: lowered, name, decimals };
  const form = draws.weighted(['v3', 'both', 'v1', 'untyped'] as const, (each) => (each === 'both' ? 6 : 2));
  const v1 = { ...common, symbol: asset.v1Symbol, type: asset.v1Type };
  switch (form) {
    case 'v3':
      return { ...common, symbol: asset.symbol, chain, type: asset.type };
    case 'both':
      return { ...v1, apiV3Symbol: asset.symbol, apiV3Type: asset.type, chain };
    case 'v1':
      return v1;
    case 'untyped':
      return { ...common, symbol: asset.v1Symbol, chain };
  }
}

/** A transaction exists once the crypto was released; before that the field is absent from bodies of the field, or null at times. */
function deliveryOf(plan: RecordPlan, night: Night, world: World) {
  const draws = new Draws(world.seed, plan.index, ADDRESS_STREAM);
  const receiverAddress = drawAddress(draws, plan.asset.chain);
  const drawn = drawTransaction(draws, plan.asset.chain);
  const transaction = wasReleased(plan, night, world) ? (world.transactions.get(plan.index) ?? drawn) : null;
  return { receiverAddress, transaction, isNamed: transaction !== null || draws.chance(0.4) };
}

/** A sale as `GET /host-api/offramp/sale/{id}` gives it (spec §2.8): the declared fields, and the further ones met in the field. */
const SALE_STREAM = 25;
const ESCROW_STREAM = 42;

/** The statuses of the two sides of a sale, by its status. */
const SIDES: Readonly<Record<string, { crypto: string; fiat: string }>> = {
  CREATED: { crypto: 'initiated', fiat: 'not-started' },
  RELEASED: { crypto: 'completed', fiat: 'completed' },
  EXPIRED: { crypto: 'not-started', fiat: 'not-started' },
};

function saleBody(plan: RecordPlan, night: Night, world: World): Body {
  const draws = new Draws(world.seed, plan.index, SALE_STREAM);
  const figures = recordFigures(plan, world, nightAt(night, world));
  const standing = statusOn(plan, night, world);
  const { asset, currency, method } = plan;
  const token = world.ids.token(plan.index);
  const drawn = drawTransaction(new Draws(world.seed, plan.index, SALE_STREAM + 1), asset.chain);
  // Without a status, an expired sale could not be distinguished from a finished one.
  const says = draws.chance(0.6) || standing.status === 'EXPIRED' || world.floats;
  const sides = draws.chance(0.6) ? SIDES[standing.status] : undefined;
  const asText = draws.chance(0.25);
  const escrow = new Draws(world.seed, plan.index, ESCROW_STREAM);
  return {
    id: world.ids.id(plan.index, 'sale'),
    ...drawTokens(draws, token),
    createdAt: new Date(plan.createdAt).toISOString(),
    ...(draws.chance(0.7) || world.floats ? { updatedAt: new Date(standing.since).toISOString() } : {}),
    ...(says ? { status: standing.status } : {}),
    crypto: {
      amount: figures.units.toString(),
      ...(sides === undefined ? {} : { status: sides.crypto }),
      assetInfo: saleAsset(asset),
    },
    fiat: {
      amount: asText ? String(figures.fiatValue) : figures.fiatValue,
      currencySymbol: currency.code,
      ...(sides === undefined ? {} : { status: sides.fiat }),
      ...(plan.hidesMethod ? {} : { payoutMethod: method.name }),
    },
    ...(draws.chance(0.6) ? { fees: { amount: String(figures.appliedFee), currencySymbol: currency.code } } : {}),
    ...(draws.chance(0.6) ? { exchangeRate: String(figures.rate), cryptoToEurRate: figures.rateEur } : {}),
    // Each sale has an address of its own to send the crypto to.
    ...(world.chains ? { escrowAddress: drawAddress(escrow, asset.chain) } : {}),
    ...(wasReleased(plan, night, world) ? { transactionHash: world.transactions.get(plan.index) ?? drawn } : {}),
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
