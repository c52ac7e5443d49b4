/** Records exactly as the specification declares them (§2.8, §2.9): every field there is, and no other. */
import type { CatalogueAsset } from './catalogue-asset.ts';
import type { Body, SandboxInstant } from './contract.ts';
import type { Figures } from './pricing.ts';

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
