/**
 * Changes of a quote that a record is held against (spec §2.6, §2.7, §2.10): `id | when | edits | what must speak | sentence`. `METHOD` is
 * the record's method in a v3 response. `import` is the door: such a quote is refused there, and no record is held against it.
 */

const V3 = `
request.symbol            | quote:v3             | request.cryptoAssetSymbol = "ETH_XYZ"            | import                                   | §2.6 cryptoAssetSymbol: the asset that was asked for
request.currency          | quote:v3             | request.fiatCurrency = "CHF"                     | import                                   | §2.6 fiatCurrency: the currency that was asked for
request.amount            | quote:v3 by-fiat     | request.fiatValue * 1.5                          | import                                   | §2.6 fiatValue: the amount that was asked for
request.no-amount         | quote:v3 by-fiat     | request.fiatValue drop                           | import                                   | §2.6 one of cryptoAmount and fiatValue
request.country           | quote:v3             | request.userCountryCode = "Germany"              | import                                   | §2.6 userCountryCode: ISO 3166-1 alpha-2
country.unserved          | quote:v3 countries has:paymentMethod   | request.userCountryCode = "aq"                   | METHOD_UNSUPPORTED                       | §2.4 countries: those that the method serves
asset.absent              | quote:v3             | response.asset drop                              | import                                   | §2.7 asset: AssetInfo
asset.symbol              | quote:v3             | response.asset.symbol = "XYZ"                    | import                                   | §2.7 asset: the asset that was asked for
asset.chain               | quote:v3             | response.asset.chain = "NEAR"                    | import                                   | §2.7 asset: the asset that was asked for
asset.address             | quote:v3 token       | response.asset.address flip                      | QUOTE_TERMS_DIFFER                       | §2.7 asset.address: the token that was quoted
asset.decimals            | quote:v3             | response.asset.decimals + 1                      | QUOTE_TERMS_DIFFER                       | §2.7 asset.decimals: of the asset
asset.address.of-coin     | quote:v3 coin typed        | response.asset.type = "NATIVE"; response.asset.address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" | import | §2.7 asset.address: null for a coin
asset.type.token          | quote:v3 coin typed  | response.asset.type = "ERC20"                    | QUOTE_TERMS_DIFFER                       | §2.7 asset.type: NATIVE for a coin
asset.decimals.absent     | quote:v3             | response.asset.decimals drop                     | import                                   | §2.7 asset.decimals: number
asset.networkFee.less     | quote:v3 network purchase status:RELEASED far-network | response.asset.networkFee * 0.2 | FEE_NETWORK_DIFFERS FEE_APPLIED_DIFFERS  | §2.7 asset.networkFee: what the record may be charged
asset.min                 | quote:v3 terms in:EUR      | response.asset.minPurchaseAmount = 99999999999; response.asset.maxPurchaseAmount = -1 | AMOUNT_OUT_OF_LIMITS                     | §2.7 asset.minPurchaseAmount
asset.min.above-max       | quote:v3 terms             | response.asset.minPurchaseAmount = 500; response.asset.maxPurchaseAmount = 20 | import | §2.7 asset.minPurchaseAmount: at most maxPurchaseAmount
asset.max                 | quote:v3 terms in:EUR      | response.asset.minPurchaseAmount = -1; response.asset.maxPurchaseAmount = 0.01 | AMOUNT_OUT_OF_LIMITS                     | §2.7 asset.maxPurchaseAmount
asset.min-crypto          | quote:v3 terms       | response.asset.minPurchaseCryptoAmount = "99999999999999999999999999999" | AMOUNT_OUT_OF_LIMITS | §2.7 asset.minPurchaseCryptoAmount
method.none               | quote:v3 has:paymentMethod | response.METHOD drop                             | QUOTE_TERMS_DIFFER import AMOUNT_DIFFERS SLIPPAGE | §2.7 one key per method that supports the currency
method.currency           | quote:v3             | response.METHOD.fiatCurrency = "CHF"             | import                                   | §2.7 fiatCurrency: as asked
method.no-currency        | quote:v3             | response.METHOD.fiatCurrency drop                | import                                   | §2.7 fiatCurrency: required
method.crypto.absent      | quote:v3             | response.METHOD.cryptoAmount drop                | import QUOTE_TERMS_DIFFER                | §2.7 cryptoAmount: required
method.crypto.negative    | quote:v3             | response.METHOD.cryptoAmount = "-1"              | import                                   | §2.7 cryptoAmount: number-string
method.crypto.zero        | quote:v3             | response.METHOD.cryptoAmount = "0"               | import                                   | §2.7 cryptoAmount: what the rest of the payment buys
method.fiat.other         | quote:v3 by-fiat     | response.METHOD.fiatValue * 1.1; response.METHOD.cryptoAmount * 1.1 | import                 | §2.7 fiatValue: the amount that was asked for
method.fiat.absent        | quote:v3             | response.METHOD.fiatValue drop                   | import                                   | §2.7 fiatValue: required
method.fiat.text          | quote:v3             | response.METHOD.fiatValue text                   | import                                   | §2.7 fiatValue: number
method.base.less          | quote:v3 as-promised base purchase | response.METHOD.baseServiceFee * 0.5           | FEE_BASE_DIFFERS                         | §2.7 baseServiceFee: what the record may be charged
method.base.above         | quote:v3             | response.METHOD.baseServiceFee + 2 response.METHOD.fiatValue | import                       | §2.7 baseServiceFee: part of the value
method.base.absent        | quote:v3 purchase    | response.METHOD.baseServiceFee drop              | import                                   | §2.7 baseServiceFee: required
method.base.negative      | quote:v3             | response.METHOD.baseServiceFee = -1              | import                                   | §2.7 baseServiceFee: number
method.applied.less       | quote:v3 as-promised purchase exact | response.METHOD.appliedFee * 0.7              | FEE_APPLIED_DIFFERS                      | §2.7 appliedFee: what the record may be charged
method.applied.above      | quote:v3             | response.METHOD.appliedFee + 2 response.METHOD.fiatValue | import                           | §2.7 appliedFee: included in fiatValue
method.applied.absent     | quote:v3             | response.METHOD.appliedFee drop                  | import QUOTE_TERMS_DIFFER                | §2.7 appliedFee: required
method.applied.text       | quote:v3             | response.METHOD.appliedFee text                  | import                                   | §2.7 appliedFee: number
method.host.above         | quote:v3             | response.METHOD.hostFeeCut = 0; response.METHOD.hostFeeCut + 2 response.METHOD.fiatValue | import | §2.7 hostFeeCut: part of appliedFee
`;

const V1 = `
v1.request.symbol         | quote:v1             | request.cryptoAssetSymbol = "ETH_XYZ"            | import                                   | §2.10 cryptoAssetSymbol: the asset that was asked for
v1.request.method         | quote:v1             | request.paymentMethodType = "MONEY_ORDER"        | import                                   | §2.10 paymentMethodType: the method that was asked for
v1.symbol                 | quote:v1             | response.cryptoAssetSymbol = "ETH_XYZ"; response.asset.symbol = "ETH_XYZ" | import          | §2.10 cryptoAssetSymbol: the asset that was asked for
v1.currency               | quote:v1             | response.fiatCurrency = "CHF"                    | import                                   | §2.10 fiatCurrency: as asked
v1.crypto.absent          | quote:v1             | response.cryptoAmount drop                       | import                                   | §2.10 cryptoAmount: number-string
v1.fiat.other             | quote:v1 by-fiat     | response.fiatValue * 1.1; response.cryptoAmount * 1.1 | import                              | §2.10 fiatValue: the amount that was asked for
v1.fiat.absent            | quote:v1             | response.fiatValue drop                          | import                                   | §2.10 fiatValue: number
v1.method.other           | quote:v1 not-method:PIX | response.paymentMethodType = "PIX"; request.paymentMethodType = "PIX" | QUOTE_TERMS_DIFFER QUOTE_MISSING import | §2.10 paymentMethodType: the method that was used
v1.method.absent          | quote:v1             | response.paymentMethodType drop                  | import                                   | §2.10 paymentMethodType
v1.address                | quote:v1 token       | response.asset.address flip                      | QUOTE_TERMS_DIFFER                       | §2.10 asset.address: the token that was quoted
v1.decimals               | quote:v1             | response.asset.decimals + 1                      | QUOTE_TERMS_DIFFER import                | §2.10 asset.decimals: of the asset
v1.rate.absent            | quote:v1             | response.assetExchangeRate drop                  | import                                   | §2.10 assetExchangeRate: number
v1.rate.zero              | quote:v1             | response.assetExchangeRate = 0                   | import                                   | §2.10 assetExchangeRate: price of one whole token
v1.crypto.less            | quote:v1             | response.cryptoAmount * 0.9                      | import                                   | §2.10 cryptoAmount: what the rest of the payment buys
v1.crypto.zero            | quote:v1             | response.cryptoAmount = "0"                      | import                                   | §2.10 cryptoAmount: what the rest of the payment buys
v1.rateEur.other          | quote:v1             | response.assetExchangeRateEur * 1.2              | import                                   | §2.10 assetExchangeRateEur: the same price in EUR
v1.rateEur.negative       | quote:v1             | response.assetExchangeRateEur * -1               | import                                   | §2.10 assetExchangeRateEur: number
v1.fiatRateEur.other      | quote:v1 not-in:EUR  | response.fiatExchangeRateEur * 1.5               | import RATE_OUT_OF_LINE                  | §2.10 fiatExchangeRateEur: price of the currency in EUR
v1.base.less              | quote:v1 as-promised base        | response.baseServiceFee * 0.5                    | FEE_BASE_DIFFERS                         | §2.10 baseServiceFee: what the record may be charged
v1.network.less           | quote:v1 network status:RELEASED far-network | response.networkFee * 0.2; response.appliedFee + -0.8 networkFee | FEE_NETWORK_DIFFERS FEE_APPLIED_DIFFERS import | §2.10 networkFee: what the record may be charged
v1.applied.less           | quote:v1 as-promised exact       | response.appliedFee * 0.7                        | FEE_APPLIED_DIFFERS import               | §2.10 appliedFee: what the record may be charged
v1.applied.below          | quote:v1 network     | response.appliedFee = 0                          | import                                   | §2.10 appliedFee: at least the network fee inside it
v1.applied.above          | quote:v1             | response.appliedFee + 2 response.fiatValue       | import                                   | §2.10 appliedFee: included in fiatValue
v1.applied.absent         | quote:v1             | response.appliedFee drop                         | import                                   | §2.10 appliedFee: number
`;

/** Larger than anything that a user would let pass. */
export const OF_QUOTES = V3 + V1.trimStart();

/** Ordinary, or below what anybody would ask about: nothing may speak. */
export const SILENT_QUOTES = `
asset.name                | quote:v3             | response.asset.name = "Another name"             | | §2.2 name: descriptive
asset.logo                | quote:v3             | response.asset.logoUrl = "https://example.org/x.png" | | §2.2 logoUrl
asset.hidden              | quote:v3             | response.asset.hidden = true                     | | §2.2 hidden: for sale all the same
asset.address.lower       | quote:v3 evm         | response.asset.address lower                     | | §2.2 address: EVM addresses in any case
method.crypto.noise       | quote:v3             | response.METHOD.cryptoAmount * 1.0000000001      | | §2.7 cryptoAmount: derived from floating point
method.applied.noise      | quote:v3             | response.METHOD.appliedFee + 0.000001            | | §2.7 appliedFee: up to 17 digits
method.applied.more       | quote:v3             | response.METHOD.appliedFee + 0.004               | | §2.7 appliedFee: less than promised is a favour
request.country           | quote:v3 not-countries | request.userCountryCode = "fr"                 | | §2.6 userCountryCode: optional
field.unknown             | quote:v3             | response.somethingNew = {"a":1}                  | | unknown fields are kept
v1.name                   | quote:v1             | response.asset.name = "Another name"             | | §2.10 name: descriptive
v1.crypto.noise           | quote:v1             | response.cryptoAmount * 1.0000000001             | | §2.10 cryptoAmount: derived from floating point
`;
