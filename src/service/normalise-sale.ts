/** A sale body (spec §2.8, and the further fields seen in the field) as the state that rules judge. */
import type { Decimal } from '../domain/decimal.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { type Normalised, readWire } from './drift.ts';
import { assetOf } from './normalise-purchase.ts';
import { sale, type WireSale } from './wire/sale.ts';
import { decimalOf, decimalOrNull, idText, instantOrNull, textOrNull } from './wire-values.ts';

/** @param body as read by exact-json.ts. */
export function normaliseSale(body: unknown, identifierName: string): Normalised<RecordState> {
  const reading = readWire(sale, body, { identifierName });
  return reading.ok ? { ok: true, value: stateOf(reading.value) } : reading;
}

function stateOf(wire: WireSale): RecordState {
  return {
    kind: 'sale',
    recordId: idText(wire.id),
    // The specification's sale has no status at all; the payout's own is the next best thing to know.
    status: textOrNull(wire.status) ?? textOrNull(wire.fiat.status),
    createdAt: instantOrNull(wire.createdAt),
    updatedAt: instantOrNull(wire.updatedAt),
    asset: assetOf(wire.crypto.assetInfo),
    cryptoUnits: BigInt(wire.crypto.amount),
    fiatCurrency: wire.fiat.currencySymbol,
    fiatValue: decimalOf(wire.fiat.amount),
    exchangeRate: decimalOrNull(wire.exchangeRate),
    exchangeRateEur: decimalOrNull(wire.cryptoToEurRate),
    fiatRateEur: null,
    // A sale's fee comes in one piece.
    baseFee: null,
    networkFee: null,
    appliedFee: appliedFee(wire),
    hostFeeCut: null,
    // Payout methods have names of their own: CARD and SEPA are no old names here.
    paymentMethod: textOrNull(wire.fiat.payoutMethod),
    receiverAddress: null,
    finalTxHash: textOrNull(wire.transactionHash),
  };
}

/** A fee in another currency (the crypto's, say) is not one in `fiatCurrency`: unknown, rather than wrong. */
function appliedFee({ fees, fiat }: WireSale): Decimal | null {
  return fees?.currencySymbol === fiat.currencySymbol ? decimalOrNull(fees.amount) : null;
}
