/** A quote as the app stored it: 0.04 ETH for 104.76 EUR by card, four minutes before 2026-08-31 10:00 UTC. */
import { aMethodQuote, aV3Asset } from '../../service/bodies.ts';

/** One line of NDJSON. `promise` changes what it promised for the card: `{ hostFeeCut: '0.55' }`. */
export function aQuoteLine(promise: Record<string, string | undefined> = {}): string {
  const asset = aV3Asset({
    symbol: '"ETH"',
    name: '"Ether"',
    decimals: '18',
    type: '"NATIVE"',
    address: 'null',
    price: '{"EUR":2500}',
    maxPurchaseAmount: '-1',
    minPurchaseCryptoAmount: '"-1"',
    networkFee: '0.86',
  });
  const card = aMethodQuote({
    cryptoAmount: '"40000000000000000"',
    fiatValue: '104.76',
    baseServiceFee: '3.9',
    appliedFee: '4.76',
    ...promise,
  });
  const head = '"quote_id":"q-1","direction":"onramp","api_version":"v3","captured_at":"2026-08-31T09:56:00Z"';
  const request = `{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":${promise.fiatValue ?? '104.76'}}`;
  return `{${head},"request":${request},"response":{"asset":${asset},"CARD_PAYMENT":${card}}}\n`;
}
