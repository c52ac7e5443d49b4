/** Changes of a sale (spec §2.8, and the further fields of real bodies): `id | when | edits | what must speak | sentence`. */

/** Larger than anything that a user would let pass. */
export const OF_SALES = `
id.other                  |                      | id = "7b1e6a0e-0000-4000-8000-000000000000"      | RECORD_ID_MISMATCH                       | id: the record that was asked for
id.absent                 |                      | id drop                                          | SCHEMA_DRIFT                             | id: string
token.other               |                      | purchaseViewToken = "another-token-0000"         | RECORD_CONTRADICTS_ITSELF                | purchaseViewToken: what the sale is read with
createdAt.future          |                      | createdAt = "9999-01-01T00:00:00.000Z"           | DATE_IMPLAUSIBLE                         | createdAt: before it was read
createdAt.past            |                      | createdAt = "2010-01-01T00:00:00.000Z"           | DATE_IMPLAUSIBLE                         | createdAt: since the Service began
createdAt.no-date         |                      | createdAt = "yesterday"                          | SCHEMA_DRIFT                             | createdAt: ISO 8601 timestamp
createdAt.absent          |                      | createdAt drop                                   | SCHEMA_DRIFT                             | createdAt: string
crypto.absent             |                      | crypto drop                                      | SCHEMA_DRIFT                             | crypto: object
amount.negative           |                      | crypto.amount = "-1"                             | SCHEMA_DRIFT                             | crypto.amount: wei or token units
amount.zero               |                      | crypto.amount = "0"                              | RECORD_CONTRADICTS_ITSELF                | crypto.amount: what the payout is for
amount.fraction           |                      | crypto.amount = "0.5"                            | SCHEMA_DRIFT                             | crypto.amount: wei or token units
amount.number             |                      | crypto.amount number                             | SCHEMA_DRIFT                             | crypto.amount: string
amount.absent             |                      | crypto.amount drop                               | SCHEMA_DRIFT                             | crypto.amount: string
amount.more               | quote priced         | crypto.amount * 1.5                              | SLIPPAGE AMOUNT_DIFFERS RATE_OUT_OF_LINE TOTAL_NOT_FOOTING QUOTE_MISSING | crypto.amount: what the payout is for
amount.unquoted           | unquoted priced      | crypto.amount * 2                                | RATE_OUT_OF_LINE TOTAL_NOT_FOOTING       | crypto.amount: what the payout is for
assetInfo.absent          |                      | crypto.assetInfo drop                            | SCHEMA_DRIFT                             | crypto.assetInfo: object
address.other             | token listing        | crypto.assetInfo.address flip                    | ASSET_NOT_AVAILABLE QUOTE_TERMS_DIFFER   | crypto.assetInfo.address: a token is its contract
address.of-coin           | token                | crypto.assetInfo.address = null                  | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | crypto.assetInfo.address: a token has one
address.of-token          | coin known-chain     | crypto.assetInfo.address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | crypto.assetInfo.address: null for a coin
symbol.other              | quote                | crypto.assetInfo.symbol = "XYZ"                  | QUOTE_TERMS_DIFFER ASSET_NOT_AVAILABLE QUOTE_MISSING | crypto.assetInfo.symbol: the asset that was quoted
symbol.unlisted           | unquoted lists       | crypto.assetInfo.symbol = "XYZ"                  | ASSET_NOT_AVAILABLE                      | crypto.assetInfo.symbol: an asset that the Service lists
symbol.absent             |                      | crypto.assetInfo.symbol drop                     | SCHEMA_DRIFT                             | crypto.assetInfo.symbol: string
chain.other               | quote                | crypto.assetInfo.chain = "NEAR"                  | QUOTE_TERMS_DIFFER ASSET_NOT_AVAILABLE QUOTE_MISSING RECORD_CONTRADICTS_ITSELF | crypto.assetInfo.chain: the asset that was quoted
chain.unlisted            | unquoted lists       | crypto.assetInfo.chain = "NEAR"                  | ASSET_NOT_AVAILABLE                      | crypto.assetInfo.chain: an asset that the Service lists
type.coin                 | token                | crypto.assetInfo.type = "NATIVE"                 | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | crypto.assetInfo.type: NATIVE has no contract
type.token                | coin                 | crypto.assetInfo.type = "ERC20"                  | RECORD_CONTRADICTS_ITSELF ASSET_NOT_AVAILABLE | crypto.assetInfo.type: a token standard has a contract
type.other                | token listing        | crypto.assetInfo.type = "TRC20"                  | ASSET_NOT_AVAILABLE                      | crypto.assetInfo.type: as listed
decimals.more             | listing              | crypto.assetInfo.decimals + 1                    | ASSET_NOT_AVAILABLE QUOTE_TERMS_DIFFER   | crypto.assetInfo.decimals: of the asset
decimals.unquoted         | unquoted listing     | crypto.assetInfo.decimals + -1                   | ASSET_NOT_AVAILABLE SCHEMA_DRIFT         | crypto.assetInfo.decimals: of the asset
decimals.absent           |                      | crypto.assetInfo.decimals drop                   | SCHEMA_DRIFT                             | crypto.assetInfo.decimals: number
decimals.text             |                      | crypto.assetInfo.decimals text                   | SCHEMA_DRIFT                             | crypto.assetInfo.decimals: number
fiat.absent               |                      | fiat drop                                        | SCHEMA_DRIFT                             | fiat: object
fiat.less                 | quote priced         | fiat.amount * 0.7                                | SLIPPAGE AMOUNT_DIFFERS RATE_OUT_OF_LINE TOTAL_NOT_FOOTING QUOTE_MISSING | fiat.amount: what the tokens are worth
fiat.bit-less             | quote quick          | fiat.amount * 0.92                               | SLIPPAGE AMOUNT_DIFFERS TOTAL_NOT_FOOTING QUOTE_MISSING | fiat.amount: what the tokens are worth
fiat.tenth                | unquoted priced      | fiat.amount * 0.1                                | RATE_OUT_OF_LINE TOTAL_NOT_FOOTING AMOUNT_OUT_OF_LIMITS | fiat.amount: what the tokens are worth
fiat.half                 | unquoted priced worth:50 | fiat.amount * 0.5                                | RATE_OUT_OF_LINE TOTAL_NOT_FOOTING       | fiat.amount: what the tokens are worth
fiat.huge                 | limits               | fiat.amount * 2000; crypto.amount * 2000         | AMOUNT_OUT_OF_LIMITS                     | fiat.amount: at most maxPurchaseAmount
fiat.tiny                 | limits               | fiat.amount * 0.0001; crypto.amount * 0.0001     | AMOUNT_OUT_OF_LIMITS                     | fiat.amount: at least minPurchaseAmount
fiat.negative             |                      | fiat.amount = -1                                 | SCHEMA_DRIFT                             | fiat.amount: number
fiat.words                |                      | fiat.amount = "much"                             | SCHEMA_DRIFT                             | fiat.amount: number
fiat.no-amount            |                      | fiat.amount drop                                 | SCHEMA_DRIFT                             | fiat.amount: number
currency.other            | quote                | fiat.currencySymbol = "CHF"                      | QUOTE_TERMS_DIFFER QUOTE_MISSING         | fiat.currencySymbol: as quoted
currency.unlisted         | unquoted currencies  | fiat.currencySymbol = "XAF"                      | ASSET_NOT_AVAILABLE                      | fiat.currencySymbol: one that the Service offers
currency.lower            |                      | fiat.currencySymbol lower                        | SCHEMA_DRIFT                             | fiat.currencySymbol: code of three letters
currency.absent           |                      | fiat.currencySymbol drop                         | SCHEMA_DRIFT                             | fiat.currencySymbol: string
status.unknown            |                      | status = "TELEPORTED"                            | STATUS_UNKNOWN                           | status: one of the model
updatedAt.before          |                      | updatedAt = ""; updatedAt at createdAt -1h       | RECORD_CONTRADICTS_ITSELF                | updatedAt: not before createdAt
method.unknown            | unquoted methods     | fiat.payoutMethod = "BARTER"                     | METHOD_UNSUPPORTED                       | fiat.payoutMethod: PayoutMethodName
method.unquoted           | quote                | fiat.payoutMethod = "BARTER"                     | QUOTE_TERMS_DIFFER METHOD_UNSUPPORTED QUOTE_MISSING | fiat.payoutMethod: one that was quoted
fees.more                 | quote has:appliedFee | fees.amount = "0"; fees.amount + 0.05 fiat.amount | FEE_APPLIED_DIFFERS TOTAL_NOT_FOOTING FEE_OUT_OF_BOUNDS | fees.amount: as quoted
fees.currency             | has:appliedFee not-in:CHF | fees.currencySymbol = "CHF"                      | RECORD_CONTRADICTS_ITSELF                | fees.currencySymbol: the currency of the payout
crypto.never-came         | status:RELEASED      | crypto.status = "not-started"                    | RECORD_CONTRADICTS_ITSELF                | crypto.status: tokens come before the payout
crypto.failed             | status:RELEASED      | crypto.status = "failed"                         | RECORD_CONTRADICTS_ITSELF                | crypto.status: tokens come before the payout
payout.failed             | status:RELEASED      | status = "RELEASED"; fiat.status = "failed"      | RECORD_CONTRADICTS_ITSELF                | fiat.status: of a sale that was paid out
payout.paid               |                      | status = "CREATED"; fiat.status = "completed"    | RECORD_CONTRADICTS_ITSELF                | fiat.status: of a sale that was only created
crypto.no-transfer        |                      | transactionHash = "0x5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c"; crypto.status = "not-started" | RECORD_CONTRADICTS_ITSELF | crypto.status: a transfer that has a transaction
rate.alone                | has:exchangeRate has:appliedFee | exchangeRate * 1.2                    | TOTAL_NOT_FOOTING AMOUNT_DIFFERS         | exchangeRate: tokens at it, less the fee
tx.no-hash                | known-chain          | transactionHash = "pending"                      | RECORD_CONTRADICTS_ITSELF                | transactionHash: a transaction hash
`;

/** Ordinary, or below what anybody would ask about: nothing may speak. */
export const SILENT_SALES = `
id.capitals               | uuid                 | id upper                                         | | id: a UUID is the same in capitals
token.absent              |                      | purchaseViewToken drop                           | | purchaseViewToken: sometimes absent
amount.noise              |                      | crypto.amount * 1.00000000001                    | | crypto.amount: derived from floating point
address.lower             | evm                  | crypto.assetInfo.address lower                   | | crypto.assetInfo.address: EVM addresses in any case
name.other                |                      | crypto.assetInfo.name = "Another name"           | | crypto.assetInfo.name: descriptive
name.absent               |                      | crypto.assetInfo.name drop                       | | crypto.assetInfo.name: descriptive
type.absent               |                      | crypto.assetInfo.type drop                       | | crypto.assetInfo.type: counted where it is absent
fiat.noise                |                      | fiat.amount + 0.00000001                         | | fiat.amount: up to 17 digits
fiat.text                 |                      | fiat.amount text                                 | | fiat.amount: may be a string
fiat.moved                | quote without:exchangeRate | fiat.amount * 0.999                              | | fiat.amount: floats until the transfer is confirmed
fiat.better               | quote without:exchangeRate | fiat.amount * 1.002                              | | fiat.amount: floats until the transfer is confirmed
escrow.null               |                      | escrowAddress = null                             | | unknown and further fields are kept
field.unknown             |                      | somethingNew = {"a":1}                           | | unknown and further fields are kept
`;

/** Of a sale that was seen before: the earlier body is the one that is stored, and the change came since. */
export const SALES_SINCE_FIRST_SEEN = `
symbol                    |                      | crypto.assetInfo.symbol = "XYZ"                  | FIELD_CHANGED                            | crypto.assetInfo: must never change
address                   | token                | crypto.assetInfo.address flip                    | FIELD_CHANGED                            | crypto.assetInfo: must never change
decimals                  |                      | crypto.assetInfo.decimals + 1                    | FIELD_CHANGED                            | crypto.assetInfo: must never change
amount                    |                      | crypto.amount * 1.001                            | FIELD_CHANGED                            | crypto.amount: must never change
currency                  |                      | fiat.currencySymbol = "CHF"                      | FIELD_CHANGED                            | fiat.currencySymbol: must never change
createdAt                 |                      | createdAt at createdAt +1h                       | FIELD_CHANGED                            | createdAt: must never change
fiat                      | ended                | fiat.amount * 0.99                               | FIELD_CHANGED RESTATED                   | fiat.amount: fixed when the transfer is confirmed
`;
