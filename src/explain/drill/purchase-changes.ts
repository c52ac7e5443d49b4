/** Changes of a purchase (spec §2.9, and the further fields of real bodies): `id | when | edits | what must speak | sentence`. */

/** Larger than anything that a user would let pass. */
export const OF_PURCHASES = `
id.other                  |                      | id = "another"                                   | RECORD_ID_MISMATCH                       | id: the record that was asked for
id.absent                 |                      | id drop                                          | SCHEMA_DRIFT                             | id: string
endTime.before            |                      | endTime at createdAt -2h                         | RECORD_CONTRADICTS_ITSELF                | endTime: an expiry comes after the creation
endTime.far               |                      | endTime = "2099-01-01T00:00:00.000Z"             | RECORD_CONTRADICTS_ITSELF                | endTime: expiry of an unpaid purchase
endTime.no-date           |                      | endTime = "soon"                                 | SCHEMA_DRIFT                             | endTime: ISO 8601 timestamp
endTime.over              | old:5                | endTime at createdAt +1h; status = "INITIALIZED"; finalTxHash = null | STATUS_STUCK           | endTime: what is not paid by then expires
asset.absent              |                      | asset drop                                       | SCHEMA_DRIFT                             | asset: object
asset.address.other       | token listing        | asset.address flip                               | ASSET_NOT_AVAILABLE QUOTE_TERMS_DIFFER   | asset.address: a token is its contract
asset.address.of-coin     | token typed          | asset.address = null                             | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | asset.address: a token has one
asset.address.of-token    | coin evm typed       | asset.address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | asset.address: a coin has none
asset.address.of-chain    | token evm listing known-chain | asset.address = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" | ASSET_NOT_AVAILABLE QUOTE_TERMS_DIFFER | asset.address: of the asset's chain
asset.symbol.other        | quote                | asset.symbol = "ETH_XYZ"; asset.apiV3Symbol = "XYZ" | QUOTE_TERMS_DIFFER ASSET_NOT_AVAILABLE QUOTE_MISSING | asset.symbol: the asset that was quoted
asset.symbol.unlisted     | unquoted listing lists | asset.symbol = "ETH_XYZ"; asset.apiV3Symbol = "XYZ"; asset.type = "ETH" | ASSET_NOT_AVAILABLE                      | asset.symbol: an asset that the Service lists
asset.symbol.against-v3   |                      | asset.apiV3Symbol = "QQQ"                        | RECORD_CONTRADICTS_ITSELF                | asset.symbol: of the same asset as its name in v3
asset.symbol.of-chain     |                      | asset.chain = "DOGE"; asset.symbol = "TRON_DOGE"; asset.apiV3Symbol = null | RECORD_CONTRADICTS_ITSELF | asset.symbol: of the same chain as the asset
asset.symbol.absent       |                      | asset.symbol drop                                | SCHEMA_DRIFT                             | asset.symbol: string
asset.symbol.empty        |                      | asset.symbol = ""                                | SCHEMA_DRIFT                             | asset.symbol: string
asset.decimals.more       | listing              | asset.decimals + 1                               | ASSET_NOT_AVAILABLE QUOTE_TERMS_DIFFER TOTAL_NOT_FOOTING | asset.decimals: of the asset
asset.decimals.less       | unquoted listing     | asset.decimals + -1                              | ASSET_NOT_AVAILABLE TOTAL_NOT_FOOTING SCHEMA_DRIFT | asset.decimals: of the asset
asset.decimals.absent     |                      | asset.decimals drop                              | SCHEMA_DRIFT                             | asset.decimals: number
asset.decimals.text       |                      | asset.decimals text                              | SCHEMA_DRIFT                             | asset.decimals: number
asset.decimals.negative   |                      | asset.decimals = -1                              | SCHEMA_DRIFT                             | asset.decimals: places of a token
asset.decimals.fraction   |                      | asset.decimals + 0.5                             | SCHEMA_DRIFT                             | asset.decimals: places of a token
asset.type.coin           | token typed          | asset.type = "NATIVE"                            | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | asset.type: NATIVE has no contract
asset.type.token          | coin evm typed       | asset.type = "ERC20"                             | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | asset.type: a token standard has a contract
asset.type.of-chain       | coin evm typed known-chain | asset.type = "SOLANA"                   | RECORD_CONTRADICTS_ITSELF                | asset.type: the chain of a coin (v1)
asset.type.other          | token typed listing  | asset.type = "TRC20"                             | ASSET_NOT_AVAILABLE                      | asset.type: as listed
cryptoAmount.short        | status:RELEASED      | cryptoAmount * 0.99                              | TOTAL_NOT_FOOTING AMOUNT_DIFFERS         | cryptoAmount: what the rest of the payment buys
cryptoAmount.bit-short    | status:RELEASED over:30 | cryptoAmount * 0.998                          | TOTAL_NOT_FOOTING AMOUNT_DIFFERS         | cryptoAmount: what the rest of the payment buys
cryptoAmount.unquoted     | unquoted             | cryptoAmount * 0.99                              | TOTAL_NOT_FOOTING                        | cryptoAmount: what the rest of the payment buys
cryptoAmount.more         |                      | cryptoAmount * 1.02                              | TOTAL_NOT_FOOTING                        | cryptoAmount: what the rest of the payment buys
cryptoAmount.zero         |                      | cryptoAmount = "0"                               | TOTAL_NOT_FOOTING                        | cryptoAmount: what the rest of the payment buys
cryptoAmount.negative     |                      | cryptoAmount = "-1"                              | SCHEMA_DRIFT                             | cryptoAmount: wei or token units
cryptoAmount.fraction     |                      | cryptoAmount = "1.5"                             | SCHEMA_DRIFT                             | cryptoAmount: wei or token units
cryptoAmount.number       |                      | cryptoAmount number                              | SCHEMA_DRIFT                             | cryptoAmount: string
cryptoAmount.absent       |                      | cryptoAmount drop                                | SCHEMA_DRIFT                             | cryptoAmount: string
cryptoAmount.empty        |                      | cryptoAmount = ""                                | SCHEMA_DRIFT                             | cryptoAmount: string
fiatCurrency.other        | quote                | fiatCurrency = "CHF"                             | QUOTE_TERMS_DIFFER QUOTE_MISSING         | fiatCurrency: as quoted
fiatCurrency.unlisted     | unquoted currencies  | fiatCurrency = "XAF"                             | ASSET_NOT_AVAILABLE                      | fiatCurrency: one that the Service offers
fiatCurrency.lower        |                      | fiatCurrency lower                               | SCHEMA_DRIFT                             | fiatCurrency: code of three letters
fiatCurrency.name         |                      | fiatCurrency = "EURO"                            | SCHEMA_DRIFT                             | fiatCurrency: code of three letters
fiatCurrency.absent       |                      | fiatCurrency drop                                | SCHEMA_DRIFT                             | fiatCurrency: string
fiatValue.more            |                      | fiatValue * 1.01                                 | TOTAL_NOT_FOOTING AMOUNT_DIFFERS         | fiatValue: tokens at their rate, and the fee
fiatValue.less            |                      | fiatValue * 0.99                                 | TOTAL_NOT_FOOTING                        | fiatValue: tokens at their rate, and the fee
fiatValue.cents           |                      | fiatValue + 0.0008 fiatValue; fiatValue + 0.03   | TOTAL_NOT_FOOTING AMOUNT_DIFFERS         | fiatValue: tokens at their rate, and the fee
fiatValue.huge            | limits               | fiatValue * 2000; cryptoAmount * 2000; baseServiceFee * 2000; networkFee * 2000; appliedFee * 2000 | AMOUNT_OUT_OF_LIMITS | fiatValue: at most maxPurchaseAmount
fiatValue.tiny            | limits               | fiatValue * 0.0001; cryptoAmount * 0.0001; baseServiceFee * 0.0001; networkFee * 0.0001; appliedFee * 0.0001 | AMOUNT_OUT_OF_LIMITS | fiatValue: at least minPurchaseAmount
fiatValue.text            |                      | fiatValue text                                   | SCHEMA_DRIFT                             | fiatValue: number
fiatValue.negative        |                      | fiatValue * -1                                   | SCHEMA_DRIFT                             | fiatValue: total that the user pays
fiatValue.absent          |                      | fiatValue drop                                   | SCHEMA_DRIFT                             | fiatValue: number
rate.worse                | quote priced         | assetExchangeRate * 1.25; assetExchangeRateEur * 1.25; cryptoAmount foots | SLIPPAGE RATE_OUT_OF_LINE | assetExchangeRate: the price of its moment
rate.bit-worse            | quote quick          | assetExchangeRate * 1.08; assetExchangeRateEur * 1.08; cryptoAmount foots | SLIPPAGE RATE_OUT_OF_LINE | assetExchangeRate: the price of its moment
rate.unquoted             | unquoted priced      | assetExchangeRate * 1.5; assetExchangeRateEur * 1.5; cryptoAmount foots | RATE_OUT_OF_LINE       | assetExchangeRate: near the published price
rate.alone                |                      | assetExchangeRate * 1.02                         | TOTAL_NOT_FOOTING AMOUNT_DIFFERS         | assetExchangeRate: price of one whole token
rate.zero                 |                      | assetExchangeRate = 0                            | TOTAL_NOT_FOOTING                        | assetExchangeRate: price of one whole token
rate.text                 |                      | assetExchangeRate text                           | SCHEMA_DRIFT                             | assetExchangeRate: number
rate.negative             |                      | assetExchangeRate * -1                           | SCHEMA_DRIFT                             | assetExchangeRate: price of one whole token
rate.absent               |                      | assetExchangeRate drop                           | SCHEMA_DRIFT                             | assetExchangeRate: number
rateEur.other             | in:EUR               | assetExchangeRateEur * 1.1                       | RATE_OUT_OF_LINE                         | assetExchangeRateEur: the same price in EUR
rateEur.elsewhere         | not-in:EUR eurKnown rate-near | assetExchangeRateEur * 1.2                       | RATE_OUT_OF_LINE                         | assetExchangeRateEur: the same price in EUR
rateEur.as-fiat           | not-in:EUR eurKnown  | assetExchangeRateEur = 0.0001                    | RATE_OUT_OF_LINE                         | assetExchangeRateEur: the same price in EUR
rateEur.text              |                      | assetExchangeRateEur text                        | SCHEMA_DRIFT                             | assetExchangeRateEur: number
rateEur.negative          |                      | assetExchangeRateEur * -1                        | SCHEMA_DRIFT                             | assetExchangeRateEur: price of one whole token
fiatRateEur.not-one       | in:EUR               | fiatExchangeRateEur = 1.08                       | RECORD_CONTRADICTS_ITSELF                | fiatExchangeRateEur: one EUR is one EUR
fiatRateEur.alone         | not-in:EUR eurKnown  | fiatExchangeRateEur = 1000; assetExchangeRateEur drop | RATE_OUT_OF_LINE                    | fiatExchangeRateEur: price of the currency in EUR
fiatRateEur.other         | not-in:EUR eurKnown  | fiatExchangeRateEur * 1.5; assetExchangeRateEur * 1.5 | RATE_OUT_OF_LINE                    | fiatExchangeRateEur: price of the currency in EUR
baseFee.more              | quote as-promised base           | baseServiceFee * 1.2; baseServiceFee + 0.1       | FEE_BASE_DIFFERS                         | baseServiceFee: as quoted
baseFee.text              |                      | baseServiceFee text                              | SCHEMA_DRIFT                             | baseServiceFee: number
baseFee.negative          |                      | baseServiceFee = -1                              | SCHEMA_DRIFT                             | baseServiceFee: number
baseFee.absent            |                      | baseServiceFee drop                              | SCHEMA_DRIFT                             | baseServiceFee: number
networkFee.more           | quote network status:RELEASED | appliedFee + 4 networkFee; networkFee * 5; appliedFee + 0.05; networkFee + 0.05; cryptoAmount foots | FEE_NETWORK_DIFFERS FEE_APPLIED_DIFFERS | networkFee: near the quoted one
networkFee.unquoted       | unquoted published timely lists status:RELEASED | appliedFee + 4 networkFee; networkFee * 5; appliedFee + 0.5; networkFee + 0.5; cryptoAmount foots | FEE_NETWORK_DIFFERS FEE_OUT_OF_BOUNDS | networkFee: near the published one
networkFee.above-all      |                      | networkFee + 1.1 appliedFee; networkFee + 1      | FEE_OUT_OF_BOUNDS                        | networkFee: inside appliedFee
networkFee.text           |                      | networkFee text                                  | SCHEMA_DRIFT                             | networkFee: number
networkFee.negative       |                      | networkFee = -0.5                                | SCHEMA_DRIFT                             | networkFee: number
networkFee.absent         |                      | networkFee drop                                  | SCHEMA_DRIFT                             | networkFee: number
appliedFee.more           | quote as-promised                | appliedFee + 0.01 fiatValue; appliedFee + 0.05; cryptoAmount foots | FEE_APPLIED_DIFFERS    | appliedFee: as quoted
appliedFee.cents          | quote as-promised exact in:EUR   | appliedFee + 0.04; cryptoAmount foots            | FEE_APPLIED_DIFFERS                      | appliedFee: as quoted
appliedFee.on-top         | quote as-promised                | appliedFee + 0.005 fiatValue; appliedFee + 0.02; fiatValue foots | FEE_APPLIED_DIFFERS AMOUNT_DIFFERS QUOTE_MISSING | appliedFee: as quoted
appliedFee.in-base        | quote as-promised base           | appliedFee + 0.01 fiatValue; baseServiceFee + 0.01 fiatValue; cryptoAmount foots | FEE_APPLIED_DIFFERS FEE_BASE_DIFFERS | appliedFee: as quoted
appliedFee.alone          |                      | appliedFee * 1.1; appliedFee + 0.05              | TOTAL_NOT_FOOTING FEE_APPLIED_DIFFERS    | appliedFee: included in fiatValue
appliedFee.excessive      | unquoted bounds      | appliedFee + 0.15 fiatValue; cryptoAmount foots  | FEE_OUT_OF_BOUNDS                        | appliedFee: at most maxFeePercent
appliedFee.zero           | network              | appliedFee = 0; cryptoAmount foots               | FEE_OUT_OF_BOUNDS                        | appliedFee: includes networkFee
appliedFee.text           |                      | appliedFee text                                  | SCHEMA_DRIFT                             | appliedFee: number
appliedFee.negative       |                      | appliedFee = -1                                  | SCHEMA_DRIFT                             | appliedFee: number
appliedFee.absent         |                      | appliedFee drop                                  | SCHEMA_DRIFT                             | appliedFee: number
hostFeeCut.above-all      |                      | hostFeeCut = 0; hostFeeCut + 1.5 appliedFee; hostFeeCut + 1 | RECORD_CONTRADICTS_ITSELF     | hostFeeCut: a part of appliedFee
hostFeeCut.negative       |                      | hostFeeCut = -1                                  | SCHEMA_DRIFT                             | hostFeeCut: number
token.other               |                      | purchaseViewToken = "another-token-0000"         | RECORD_CONTRADICTS_ITSELF                | purchaseViewToken: what the record is read with
receiver.of-chain         | evm known-chain      | receiverAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" | RECORD_CONTRADICTS_ITSELF | receiverAddress: of the asset's chain
receiver.no-address       | known-chain          | receiverAddress = "not an address"               | RECORD_CONTRADICTS_ITSELF                | receiverAddress: blockchain address
receiver.type             |                      | receiverAddress = 7                              | SCHEMA_DRIFT                             | receiverAddress: string
receiver.nobody           | evm known-chain      | receiverAddress = "0x0000000000000000000000000000000000000000" | RECORD_CONTRADICTS_ITSELF | receiverAddress: where the crypto was sent
receiver.null             | status:RELEASED      | receiverAddress = null                           | RECORD_CONTRADICTS_ITSELF                | receiverAddress: where the crypto was sent
receiver.empty            | status:RELEASED      | receiverAddress = ""                             | RECORD_CONTRADICTS_ITSELF                | receiverAddress: where the crypto was sent
createdAt.future          |                      | createdAt = "9999-01-01T00:00:00.000Z"           | DATE_IMPLAUSIBLE                         | createdAt: before it was read
createdAt.past            |                      | createdAt = "2010-01-01T00:00:00.000Z"           | DATE_IMPLAUSIBLE                         | createdAt: since the Service began
createdAt.no-date         |                      | createdAt = "yesterday"                          | SCHEMA_DRIFT                             | createdAt: ISO 8601 timestamp
createdAt.no-zone         |                      | createdAt = "2026-11-01T10:00:00"                | SCHEMA_DRIFT                             | createdAt: ISO 8601 timestamp
createdAt.absent          |                      | createdAt drop                                   | SCHEMA_DRIFT                             | createdAt: string
updatedAt.before          |                      | updatedAt at createdAt -1h                       | RECORD_CONTRADICTS_ITSELF                | updatedAt: not before createdAt
updatedAt.future          |                      | updatedAt = "9999-01-01T00:00:00.000Z"           | DATE_IMPLAUSIBLE                         | updatedAt: before it was read
updatedAt.no-date         |                      | updatedAt = "now"                                | SCHEMA_DRIFT                             | updatedAt: ISO 8601 timestamp
status.unknown            |                      | status = "TELEPORTED"                            | STATUS_UNKNOWN                           | status: one of the model
status.absent             |                      | status drop                                      | SCHEMA_DRIFT                             | status: string
status.null               |                      | status = null                                    | SCHEMA_DRIFT                             | status: string
status.empty              |                      | status = ""                                      | SCHEMA_DRIFT                             | status: string
status.cancelled          | status:RELEASED      | status = "CANCELLED"                             | RECORD_CONTRADICTS_ITSELF STATUS_REGRESSED | finalTxHash: none without a release
status.expired            | status:RELEASED      | status = "EXPIRED"                               | RECORD_CONTRADICTS_ITSELF STATUS_REGRESSED | finalTxHash: none without a release
status.initialized        | status:RELEASED      | status = "INITIALIZED"                           | RECORD_CONTRADICTS_ITSELF STATUS_REGRESSED | finalTxHash: null while no final transaction exists
status.returned           | status:RELEASED      | status = "FIAT_RETURNED"; actions = null         | RECORD_CONTRADICTS_ITSELF STATUS_REGRESSED | finalTxHash: none without a release
actions.released          |                      | status = "INITIALIZED"; finalTxHash = null; actions = [{"newStatus":"RELEASED","timestamp":"2026-10-01T10:00:00.000Z"}]; createdAt = "2026-10-01T09:00:00.000Z"; updatedAt = "2026-10-01T10:00:00.000Z" | RECORD_CONTRADICTS_ITSELF | status: what was released is not INITIALIZED
actions.future            |                      | actions = [{"newStatus":"PAYMENT_EXECUTED","timestamp":"9999-01-01T00:00:00.000Z"}] | RECORD_CONTRADICTS_ITSELF | actions: what has happened
tx.null                   | status:RELEASED      | finalTxHash = null                               | RELEASED_WITHOUT_TX                      | finalTxHash: of a released purchase
tx.empty                  | status:RELEASED      | finalTxHash = ""                                 | RELEASED_WITHOUT_TX                      | finalTxHash: of a released purchase
tx.absent                 | status:RELEASED      | finalTxHash drop                                 | RELEASED_WITHOUT_TX                      | finalTxHash: of a released purchase
tx.no-hash                | status:RELEASED known-chain | finalTxHash = "pending"                   | RECORD_CONTRADICTS_ITSELF                | finalTxHash: a transaction hash
tx.short                  | status:RELEASED evm known-chain | finalTxHash = "0x1234"               | RECORD_CONTRADICTS_ITSELF                | finalTxHash: a transaction hash of the chain
tx.type                   |                      | finalTxHash = 7                                  | SCHEMA_DRIFT                             | finalTxHash: string or null
method.unquoted           | quote                | paymentMethodType = "SOFORT"                     | QUOTE_TERMS_DIFFER METHOD_UNSUPPORTED QUOTE_MISSING | paymentMethodType: one that was quoted
method.unknown            | unquoted methods     | paymentMethodType = "BARTER"                     | METHOD_UNSUPPORTED                       | paymentMethodType: PaymentMethodName
method.other-currency     | unquoted methods in:EUR | paymentMethodType = "PIX"                     | METHOD_UNSUPPORTED                       | paymentMethodType: one that serves the currency
method.absent             |                      | paymentMethodType drop                           | SCHEMA_DRIFT                             | paymentMethodType: PaymentMethodName
method.empty              |                      | paymentMethodType = ""                           | SCHEMA_DRIFT                             | paymentMethodType: PaymentMethodName
`;

/** Ordinary, or below what anybody would ask about: nothing may speak. */
export const SILENT_PURCHASES = `
id.capitals               | uuid                 | id upper                                         | | id: a UUID is the same in capitals
endTime.null              | status:RELEASED      | endTime = null                                   | | endTime: may be null
endTime.absent            | status:RELEASED      | endTime drop                                     | | endTime: counted where it is absent
endTime.later             | status:RELEASED      | endTime at createdAt +120h                       | | endTime: 72 or 120 hours after the creation
asset.address.lower       | evm                  | asset.address lower                              | | asset.address: EVM addresses in any case
asset.name.other          |                      | asset.name = "Another name"                      | | asset.name: descriptive
asset.name.absent         |                      | asset.name drop                                  | | asset.name: descriptive
asset.type.null           | known-chain          | asset.type = null                                | | asset.type: sometimes absent
cryptoAmount.noise        |                      | cryptoAmount * 1.0000000001                      | | cryptoAmount: derived from floating point
fiatValue.noise           |                      | fiatValue + 0.00000001                           | | fiatValue: up to 17 digits
rate.noise                |                      | assetExchangeRate * 1.00000000001                | | assetExchangeRate: up to 17 digits
rate.better               | quote                | assetExchangeRate * 0.999; assetExchangeRateEur * 0.999; cryptoAmount foots | | assetExchangeRate: floats with the market
rate.moved                | quote                | assetExchangeRate * 1.001; assetExchangeRateEur * 1.001; cryptoAmount foots | | assetExchangeRate: floats with the market
rateEur.noise             |                      | assetExchangeRateEur * 1.00005                   | | assetExchangeRateEur: as rounded by the Service
rateEur.absent            |                      | assetExchangeRateEur drop                        | | assetExchangeRateEur: sometimes absent
rateEur.null              |                      | assetExchangeRateEur = null                      | | assetExchangeRateEur: sometimes absent
baseFee.noise             |                      | baseServiceFee + 0.000001                        | | baseServiceFee: up to 17 digits
networkFee.moved          | quote as-promised network as-quoted near-network | appliedFee + 0.02 networkFee; networkFee * 1.02; cryptoAmount foots | | networkFee: of its moment
appliedFee.noise          |                      | appliedFee + 0.000001                            | | appliedFee: up to 17 digits
appliedFee.less           | quote as-promised as-quoted      | appliedFee + -0.1 baseServiceFee; cryptoAmount foots | | appliedFee: a discount
hostFeeCut.null           | without:hostFeeCut   | hostFeeCut = null                                | | hostFeeCut: optional
token.absent              |                      | purchaseViewToken drop                           | | purchaseViewToken: sometimes absent
updatedAt.absent          | status:RELEASED quick | updatedAt drop                                  | | updatedAt: counted where it is absent
fiatRateEur.one           | in:EUR               | fiatExchangeRateEur = 1                          | | fiatExchangeRateEur: one EUR is one EUR
method.old-name           | method:CARD_PAYMENT  | paymentMethodType = "CARD"                       | | paymentMethodType: old names are mapped
method.old-transfer       | method:MANUAL_BANK_TRANSFER | paymentMethodType = "SEPA"                | | paymentMethodType: old names are mapped
escrow.given              |                      | escrowAddress = ""                               | | unknown and further fields are kept
field.unknown             |                      | somethingNew = {"a":1}                           | | unknown and further fields are kept
`;

/** Of a record that was seen before: the earlier body is the one that is stored, and the change came since. */
export const SINCE_FIRST_SEEN = `
asset.symbol              |                      | asset.symbol = "ETH_XYZ"; asset.apiV3Symbol = "XYZ"; asset.chain = "ETH" | FIELD_CHANGED                            | asset: must never change
asset.address             | token                | asset.address flip                               | FIELD_CHANGED                            | asset: must never change
asset.decimals            |                      | asset.decimals + 1                               | FIELD_CHANGED                            | asset: must never change
cryptoAmount              | status:RELEASED      | cryptoAmount * 0.999                             | FIELD_CHANGED RESTATED                   | cryptoAmount: fixed when the payment arrives
fiatCurrency              |                      | fiatCurrency = "CHF"                             | FIELD_CHANGED                            | fiatCurrency: must never change
fiatValue                 |                      | fiatValue + 0.01                                 | FIELD_CHANGED                            | fiatValue: must never change
receiverAddress           |                      | receiverAddress flip                             | FIELD_CHANGED                            | receiverAddress: must never change
createdAt                 |                      | createdAt at createdAt +1h; updatedAt at createdAt +2h | FIELD_CHANGED                      | createdAt: must never change
endTime                   |                      | endTime at endTime -24h                          | FIELD_CHANGED                            | endTime: the expiry shown to the user
paymentMethodType         |                      | paymentMethodType = "SOFORT"                     | FIELD_CHANGED                            | paymentMethodType: must never change
appliedFee                | status:RELEASED      | appliedFee + 0.01                                | RESTATED                                 | appliedFee: fixed at the end
baseServiceFee            | status:RELEASED      | baseServiceFee + 0.01                            | RESTATED                                 | baseServiceFee: fixed at the end
networkFee                | status:RELEASED      | networkFee + 0.01                                | RESTATED                                 | networkFee: fixed at the end
assetExchangeRate         | status:RELEASED      | assetExchangeRate * 1.001                        | RESTATED                                 | assetExchangeRate: fixed at the end
assetExchangeRateEur      | status:RELEASED      | assetExchangeRateEur * 1.001                     | RESTATED                                 | assetExchangeRateEur: fixed at the end
finalTxHash               | status:RELEASED      | finalTxHash flip                                 | RESTATED                                 | finalTxHash: fixed at the end
`;
