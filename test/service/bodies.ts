/**
 * Bodies as the Service sends them, field by field as JSON text: `aPurchase({ appliedFee: '1.49', status: '"RELEASED"' })`.
 * A field given as undefined is left out.
 */
import { createHash } from 'node:crypto';

type Fields = Readonly<Record<string, string | undefined>>;

function objectText(fields: Fields): string {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{${present.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

export const PURCHASE_ID = 'sqs6a428mqjtzbv';
export const SALE_ID = '3f0c4f0e-6a51-4b5e-9a4f-0d3a2b1c9e77';
export const TOKEN = 'mg3voq92hd2mbdht';

const RELEASED = '"RELEASED"';

/** A transaction of its own for each record. */
export function aTxHash(of: string): string {
  return `0x${createHash('sha256').update(of).digest('hex')}`;
}

/** 0.04 ETH at 2,500 EUR, and a fee of 4.76 EUR by card. */
export function aPurchase(fields: Fields = {}): string {
  return objectText({
    id: `"${PURCHASE_ID}"`,
    endTime: '"2026-11-04T10:00:00.000Z"',
    asset: '{"address":null,"symbol":"ETH_ETH","chain":"ETH","name":"Ether","decimals":18,"type":"NATIVE"}',
    cryptoAmount: '"40000000000000000"',
    fiatCurrency: '"EUR"',
    fiatValue: '104.76',
    assetExchangeRate: '2500',
    assetExchangeRateEur: '2500',
    baseServiceFee: '3.9',
    networkFee: '0.86',
    appliedFee: '4.76',
    purchaseViewToken: `"${TOKEN}"`,
    receiverAddress: '"0x14701438d1e2A4BE2578158D26F027ea4e99dA6c"',
    createdAt: '"2026-11-01T10:00:00.000Z"',
    updatedAt: '"2026-11-01T10:05:00.000Z"',
    status: '"RELEASED"',
    finalTxHash: (fields.status ?? RELEASED) === RELEASED ? `"${aTxHash(fields.id ?? PURCHASE_ID)}"` : 'null',
    paymentMethodType: '"CARD_PAYMENT"',
    ...fields,
  });
}

/** The purchase of that id, without a view token: a test's own token need not agree with it. */
export function purchaseOf(id: string, fields: Fields = {}): string {
  return aPurchase({ id: `"${id}"`, purchaseViewToken: undefined, ...fields });
}

export const SALE_ASSET = '{"address":null,"symbol":"ETH","chain":"ETH","type":"NATIVE","name":"Ether","decimals":18}';

/** 0.1 ETH for 245 EUR. */
export function aSale(fields: Fields = {}): string {
  return objectText({
    id: `"${SALE_ID}"`,
    purchaseViewToken: `"${TOKEN}"`,
    createdAt: '"2026-11-01T10:00:00.000Z"',
    crypto: `{"amount":"100000000000000000","assetInfo":${SALE_ASSET}}`,
    fiat: '{"amount":245,"currencySymbol":"EUR"}',
    ...fields,
  });
}

export function aV3Asset(fields: Fields = {}): string {
  return objectText({
    symbol: '"USDC"',
    chain: '"ETH"',
    name: '"USD Coin"',
    decimals: '6',
    type: '"ERC20"',
    address: '"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"',
    logoUrl: '"https://logos.example/usdc.svg"',
    enabled: 'true',
    hidden: 'false',
    price: '{"EUR":0.92,"USD":1}',
    currencyCode: '"EUR"',
    minPurchaseAmount: '-1',
    maxPurchaseAmount: '5000.5',
    minPurchaseCryptoAmount: '"1000000"',
    networkFee: '0.46',
    ...fields,
  });
}

/** 100 EUR of USDC by card: 5 EUR of fees. */
export function aMethodQuote(fields: Fields = {}): string {
  return objectText({
    fiatCurrency: '"EUR"',
    cryptoAmount: '"100000000"',
    fiatValue: '97',
    baseServiceFee: '4.54',
    appliedFee: '5',
    ...fields,
  });
}

export function anAssetsAnswer(fields: Fields = {}): string {
  return objectText({
    assets: `[${aV3Asset()}]`,
    currencyCode: '"EUR"',
    minPurchaseAmount: '6',
    maxPurchaseAmount: '15000',
    minFeeAmount: '2.49',
    minFeePercent: '0.99',
    maxFeePercent: '3.9',
    ...fields,
  });
}
