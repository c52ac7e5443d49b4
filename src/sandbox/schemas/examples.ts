/** Example bodies: one minute's prices for 100 EUR of ether, so that their figures agree. */

const ASSET = {
  address: null,
  symbol: 'ETH',
  apiV3Symbol: 'ETH',
  name: 'Ethereum',
  decimals: 18,
  type: 'ETH',
  apiV3Type: 'NATIVE',
  chain: 'ETH',
};

const ASSET_INFO = {
  symbol: 'ETH',
  chain: 'ETH',
  name: 'Ethereum',
  decimals: 18,
  type: 'NATIVE',
  address: null,
  logoUrl: 'https://assets.sandbox.invalid/crypto-assets/eth-eth.svg',
  enabled: true,
  hidden: false,
  price: { EUR: 2778.525821967275 },
  currencyCode: 'EUR',
  minPurchaseAmount: -1,
  maxPurchaseAmount: -1,
  minPurchaseCryptoAmount: '-1',
  networkFee: 1.41,
};

/** @param baseFee the wire name of `baseServiceFee` */
export function examplesFor(baseFee: string) {
  const BY_CARD = {
    fiatCurrency: 'EUR',
    cryptoAmount: '34150957281167640',
    fiatValue: 100,
    [baseFee]: 3.700683349374399,
    appliedFee: 5.110683349374399,
    hostFeeCut: 0.9251708373435997,
  };

  const RATES = {
    assetExchangeRate: 2778.525821967275,
    assetExchangeRateEur: 2778.525821967275,
    fiatExchangeRateEur: 1,
    networkFee: 1.41,
  };

  /** 100 = 0.03415… × 2778.52… + 5.11…, and 5.11… = 3.70… + 1.41. */
  const PURCHASE = {
    id: 's0wnqv0fbbi9qg8',
    endTime: '2026-11-04T03:10:00.000Z',
    asset: ASSET,
    ...BY_CARD,
    ...RATES,
    purchaseViewToken: 'u50mlf8al9i4fsc1',
    receiverAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
    createdAt: '2026-11-01T03:10:00.000Z',
    updatedAt: '2026-11-01T03:10:00.000Z',
    status: 'INITIALIZED',
    finalTxHash: null,
    paymentMethodType: 'CARD_PAYMENT',
  };

  const SALE = {
    id: 'dcbd5c40-b5e2-4cbb-a2cd-a0e3510a1b86',
    purchaseViewToken: 'v1hi202iacs1pvfc',
    createdAt: '2026-11-01T03:10:00.000Z',
    updatedAt: '2026-11-01T03:10:00.000Z',
    status: 'CREATED',
    crypto: {
      amount: '36532381076137336',
      status: 'not-started',
      assetInfo: { address: null, symbol: 'ETH', chain: 'ETH', type: 'NATIVE', name: 'Ethereum', decimals: 18 },
    },
    fiat: { amount: 100, currencySymbol: 'EUR', status: 'not-started', payoutMethod: 'SEPA' },
    fees: { amount: '0.9998990001009997', currencySymbol: 'EUR' },
    exchangeRate: '2764.667837817813',
    cryptoToEurRate: 2764.667837817813,
  };

  return {
    purchase: { 'just made, by card': PURCHASE },
    sale: { 'just made': SALE },
    purchaseWebhook: { 'just made': { type: 'CREATED', purchase: PURCHASE } },
    saleWebhook: {
      'just made': { id: '3f0e7a52-6c1d-4e0b-a9f4-7b1d2c3e4f50', type: 'CREATED', mode: 'OFFRAMP', payload: SALE },
    },
    onrampQuote: { '100 EUR': { asset: ASSET_INFO, CARD_PAYMENT: BY_CARD } },
    offrampQuote: {
      '100 EUR': {
        asset: { ...ASSET_INFO, networkFee: 0 },
        SEPA: {
          fiatCurrency: 'EUR',
          cryptoAmount: '36532381076137336',
          fiatValue: 100,
          [baseFee]: 0.9998990001009997,
          appliedFee: 0.9998990001009997,
        },
      },
    },
    quoteV1: {
      '100 EUR by card': {
        cryptoAssetSymbol: 'ETH_ETH',
        ...BY_CARD,
        paymentMethodType: 'CARD_PAYMENT',
        asset: { address: null, symbol: 'ETH_ETH', name: 'Ethereum', decimals: 18 },
        ...RATES,
      },
    },
  };
}
