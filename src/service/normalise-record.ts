/**
 * A purchase or sale body (spec §2.8, §2.9, field facts) as the state that rules judge, or the list of its problems.
 */
import { areTwoChains } from '../domain/addresses/chains.ts';
import { type Asset, assetIdentity, splitJoined, tokenStandard } from '../domain/asset.ts';
import { currentPaymentMethod } from '../domain/method-names.ts';
import type { Kind } from '../domain/record.ts';
import { sameStatus, saysPaid, saysReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { mapped, type Normalised, readWire } from './drift.ts';
import { momentsIn, oddSteps } from './odd-steps.ts';
import { RETURNED } from './profile.ts';
import { purchase, sale, type WirePurchase, type WireSale } from './wire/records.ts';
import { decimalOf, decimalOrNull, idText, instantOrNull, smallInteger, textOrNull } from './wire-values.ts';

/** @param body as read by exact-json.ts, in the deployment's own names. */
export function normalisePurchase(body: unknown, identifierName: string): Normalised<RecordState> {
  return mapped(readWire(purchase, body, { identifierName }), purchaseState);
}

function purchaseState(wire: WirePurchase): RecordState {
  const asset = assetOf(wire.asset);
  const createdAt = instantOrNull(wire.createdAt);
  const updatedAt = instantOrNull(wire.updatedAt);
  return {
    kind: 'purchase',
    recordId: idText(wire.id),
    status: wire.status,
    createdAt,
    updatedAt,
    asset,
    ...alsoNamed(wire.asset, asset),
    cryptoUnits: BigInt(wire.cryptoAmount),
    fiatCurrency: wire.fiatCurrency,
    fiatValue: decimalOf(wire.fiatValue),
    exchangeRate: decimalOf(wire.assetExchangeRate),
    exchangeRateEur: decimalOrNull(wire.assetExchangeRateEur),
    fiatRateEur: decimalOrNull(wire.fiatExchangeRateEur),
    baseFee: decimalOf(wire.baseServiceFee),
    networkFee: decimalOf(wire.networkFee),
    appliedFee: decimalOf(wire.appliedFee),
    hostFeeCut: decimalOrNull(wire.hostFeeCut),
    paymentMethod: currentPaymentMethod(wire.paymentMethodType),
    receiverAddress: textOrNull(wire.receiverAddress),
    finalTxHash: textOrNull(wire.finalTxHash),
    endTime: instantOrNull(wire.endTime),
    ...momentsOf(wire.actions, 'purchase', { createdAt, updatedAt, status: wire.status }),
    lacks: missingIn(wire, PURCHASE_FIELDS),
  };
}

/** @param joined the `cryptoAssetSymbol` of the same body, then of its request. */
export function assetOf(wire: WirePurchase['asset'], ...joined: readonly (string | null | undefined)[]): Asset {
  const address = textOrNull(wire.address);
  const identity = assetIdentity({
    symbol: wire.symbol,
    chain: textOrNull(wire.chain),
    apiV3Symbol: textOrNull(wire.apiV3Symbol),
    type: textOrNull(wire.type),
    address,
    joined,
  });
  const type = typeOf(textOrNull(wire.apiV3Type), textOrNull(wire.type));
  return { ...identity, decimals: smallInteger(wire.decimals), address, ...(type === null ? {} : { type }) };
}

/**
 * A joined symbol or a type (v1: the chain of a coin) that names another chain, or a symbol that has nothing in common with its name in v3.
 * That of a bridged token may be longer (`USDC`, `USDC.e`). Renamed ones are left to the terms of the run.
 */
function alsoNamed(wire: WirePurchase['asset'], { chain, chainPresumed }: Asset): Pick<RecordState, 'alsoNamed'> {
  const { symbol, type, apiV3Symbol } = wire;
  const joined = splitJoined(symbol);
  const [own, v3] = [(joined?.symbol ?? symbol).toUpperCase(), (apiV3Symbol ?? '').toUpperCase()];
  if (areTwoChains(joined?.chain ?? '', chain) || !(own.includes(v3) || v3.includes(own)))
    return { alsoNamed: `symbol ${symbol}` };
  // In v3 the type of a coin may be its own name (`ARBITRUM_ETH` is typed ETH).
  const isChain = chainPresumed !== true && type?.toUpperCase() !== own;
  return isChain && areTwoChains(type ?? '', chain) ? { alsoNamed: `type ${type}` } : {};
}

/** Of two that contradict each other the specification's own counts, so that what is wrong with it is found. */
function typeOf(v3: string | null, own: string | null): string | null {
  const standardOf = (type: string | null) =>
    type === null ? null : tokenStandard({ type, chain: '', symbol: '', decimals: 0 });
  const [a, b] = [standardOf(v3), standardOf(own)];
  return a !== null && b !== null && a !== b ? own : (v3 ?? own);
}

/** @param body as read by exact-json.ts. */
export function normaliseSale(body: unknown, identifierName: string): Normalised<RecordState> {
  return mapped(readWire(sale, body, { identifierName }), saleState);
}

function saleState(wire: WireSale): RecordState {
  const asset = assetOf(wire.crypto.assetInfo);
  const [cryptoStatus, feeCurrency] = [textOrNull(wire.crypto.status), textOrNull(wire.fees?.currencySymbol)];
  const [status, payoutStatus] = [textOrNull(wire.status), textOrNull(wire.fiat.status)];
  const createdAt = instantOrNull(wire.createdAt);
  const updatedAt = instantOrNull(wire.updatedAt);
  return {
    kind: 'sale',
    recordId: idText(wire.id),
    // The specification's sale has no status; the payout's status is the nearest.
    status: status ?? payoutStatus,
    createdAt,
    updatedAt,
    asset,
    ...alsoNamed(wire.crypto.assetInfo, asset),
    cryptoUnits: BigInt(wire.crypto.amount),
    fiatCurrency: wire.fiat.currencySymbol,
    fiatValue: decimalOf(wire.fiat.amount),
    exchangeRate: decimalOrNull(wire.exchangeRate),
    exchangeRateEur: decimalOrNull(wire.cryptoToEurRate),
    fiatRateEur: null,
    // A sale's fee comes in one piece.
    baseFee: null,
    networkFee: null,
    // In another currency (the crypto's, say) it is unknown, rather than wrong.
    appliedFee: feeCurrency === wire.fiat.currencySymbol ? decimalOrNull(wire.fees?.amount) : null,
    hostFeeCut: null,
    // Payout methods have names of their own: CARD and SEPA are no old names here.
    paymentMethod: textOrNull(wire.fiat.payoutMethod),
    receiverAddress: textOrNull(wire.escrowAddress),
    finalTxHash: textOrNull(wire.transactionHash),
    endTime: null,
    ...momentsOf(wire.actions, 'sale', { createdAt, updatedAt, status: status ?? payoutStatus }),
    lacks: missingIn(wire, SALE_FIELDS),
    ...(cryptoStatus === null ? {} : { cryptoStatus }),
    ...(feeCurrency === null || feeCurrency === wire.fiat.currencySymbol ? {} : { feeCurrency }),
    ...(status === null || payoutStatus === null || sameStatus(status, payoutStatus) ? {} : { payoutStatus }),
  };
}

/** What the specification has in a purchase (§2.9) and in a sale (§2.8), and no rule needs: an absent one is counted, not a break. */
const PURCHASE_FIELDS = [
  'endTime',
  'asset.address',
  'asset.name',
  'asset.type',
  'assetExchangeRateEur',
  'purchaseViewToken',
  'receiverAddress',
  'updatedAt',
  'finalTxHash',
];
const SALE_FIELDS = [
  'purchaseViewToken',
  'crypto.assetInfo.address',
  'crypto.assetInfo.chain',
  'crypto.assetInfo.type',
  'crypto.assetInfo.name',
];

/** Null is a value: a body that has the field has said what it knows. */
function missingIn(body: object, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    let value: unknown = body;
    for (const name of path.split('.')) value = (value as Record<string, unknown>)[name];
    return value === undefined;
  });
}

type Moments = Pick<RecordState, 'paidAt' | 'releasedAt' | 'returnedAt' | 'oddSteps'>;

/** Field facts, `actions[]`: when the payment arrived, was released and was given back, each as it was said first. */
function momentsOf(actions: unknown, kind: Kind, of: Pick<RecordState, 'createdAt' | 'updatedAt' | 'status'>): Moments {
  const moments = momentsIn(actions);
  if (moments.length === 0) return {};
  const first = (says: (status: string) => boolean) => moments.find(({ status }) => says(status))?.at;
  const [paidAt, releasedAt, returnedAt] = [
    first(saysPaid),
    first(saysReleased),
    first((status) => RETURNED.has(status)),
  ];
  const odd = oddSteps(kind, moments, of);
  return {
    ...(paidAt === undefined ? {} : { paidAt }),
    ...(releasedAt === undefined ? {} : { releasedAt }),
    ...(returnedAt === undefined ? {} : { returnedAt }),
    ...(odd.length === 0 ? {} : { oddSteps: odd }),
  };
}
