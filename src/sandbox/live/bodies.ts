/** A live record as its endpoint and its webhooks have it (spec §2.8, §2.9): as declared, or with every field seen in deployments. */
import type { Bodies, Body, SandboxKind } from '../contract.ts';
import type { Draws } from '../random.ts';
import { isoText, saleAsset, specPurchase, specSale } from '../record-bodies.ts';
import { type LiveRecord, stepOf } from './journey.ts';

/** The record's true values; its endpoint may answer with tampered ones, see `answeredBody`. */
export function liveBody(record: LiveRecord, identifierName: string, bodies: Bodies): Body {
  if (bodies === 'spec') return specBody(record, identifierName);
  return record.kind === 'purchase' ? purchase(record, identifierName) : sale(record);
}

export function answeredBody(record: LiveRecord, identifierName: string, bodies: Bodies): Body {
  return { ...liveBody(record, identifierName, bodies), ...record.tampered };
}

function specBody(record: LiveRecord, identifierName: string): Body {
  const { since: updatedAt, address: receiverAddress } = record;
  const { status } = stepOf(record);
  const of = { ...record, method: record.method.name };
  if (record.kind === 'sale') return specSale(of);
  const transaction = status === 'RELEASED' ? record.transaction : null;
  return specPurchase({ ...of, updatedAt, status, receiverAddress, transaction }, identifierName);
}

function purchase(record: LiveRecord, identifierName: string): Body {
  const { asset, figures } = record;
  const { symbol, type, chain } = asset;
  const { asset: declared, finalTxHash, ...rest } = specBody(record, identifierName);
  return {
    ...rest,
    asset: { ...(declared as object), apiV3Symbol: symbol, apiV3Type: type, chain },
    fiatExchangeRateEur: figures.fiatEur,
    ...(figures.hostFeeCut === null ? {} : { hostFeeCut: figures.hostFeeCut }),
    // Absent rather than null while there is none (field facts "Purchases").
    ...(finalTxHash === null ? {} : { finalTxHash }),
  };
}

function sale(record: LiveRecord): Body {
  const { asset, figures, currency } = record;
  const { status, sides } = stepOf(record);
  return {
    id: record.id,
    purchaseViewToken: record.token,
    saleViewToken: record.token,
    createdAt: isoText(record.createdAt),
    updatedAt: isoText(record.since),
    status,
    crypto: {
      amount: figures.units.toString(),
      ...(sides === null ? {} : { status: sides.crypto }),
      assetInfo: saleAsset(asset),
    },
    fiat: {
      amount: figures.fiatValue,
      currencySymbol: currency,
      ...(sides === null ? {} : { status: sides.fiat }),
      payoutMethod: record.method.name,
    },
    fees: { amount: String(figures.appliedFee), currencySymbol: currency },
    exchangeRate: String(figures.rate),
    cryptoToEurRate: figures.rateEur,
    ...(status === 'RELEASED' ? { transactionHash: record.transaction } : {}),
  };
}

/** Webhook envelopes (field facts "Webhooks"): purchases come without an event id, sales with one that is not the sale's. */
export function envelope(kind: SandboxKind, type: string, record: Body, draws: Draws): Body {
  if (kind === 'purchase') return { type, purchase: record };
  const hex = draws.hex(32);
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  return { id, type, mode: 'OFFRAMP', payload: record };
}
