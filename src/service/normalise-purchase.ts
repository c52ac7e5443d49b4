/** A purchase body (spec §2.9) as the state that rules judge, or everything that stands against reading it. */
import { type Asset, assetIdentity } from '../domain/asset.ts';
import { currentPaymentMethod } from '../domain/method-names.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { type Normalised, readWire } from './drift.ts';
import { purchase, type WirePurchase } from './wire/purchase.ts';
import { decimalOf, decimalOrNull, idText, instantOrNull, smallInteger, textOrNull } from './wire-values.ts';

/** @param body as read by exact-json.ts, in the deployment's own names. */
export function normalisePurchase(body: unknown, identifierName: string): Normalised<RecordState> {
  const reading = readWire(purchase, body, { identifierName });
  return reading.ok ? { ok: true, value: stateOf(reading.value) } : reading;
}

function stateOf(wire: WirePurchase): RecordState {
  return {
    kind: 'purchase',
    recordId: idText(wire.id),
    status: wire.status,
    createdAt: instantOrNull(wire.createdAt),
    updatedAt: instantOrNull(wire.updatedAt),
    asset: assetOf(wire.asset),
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
  };
}

/** Assets are named in three ways; the identity is derived from whichever is there. */
export function assetOf(wire: WirePurchase['asset']): Asset {
  const identity = assetIdentity({
    symbol: wire.symbol,
    chain: textOrNull(wire.chain),
    apiV3Symbol: textOrNull(wire.apiV3Symbol),
    type: textOrNull(wire.type),
  });
  return { ...identity, decimals: smallInteger(wire.decimals), address: textOrNull(wire.address) };
}
