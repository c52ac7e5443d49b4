/**
 * Changes of the reference data of a record's time (spec §2.1 to §2.5): `id | when | edits | what must speak | sentence`. They are made in
 * the listings on both sides of its creation alike: `asset` and `global` of the assets, `method` of the record's method, `currency` of its currency.
 */

/** Larger than anything that a user would let pass. */
export const OF_LISTINGS = `
asset.disabled            | listing lists        | asset.enabled = false                            | ASSET_NOT_AVAILABLE                      | §2.2 enabled
asset.unlisted            | listing lists known-chain | asset = null                                | ASSET_NOT_AVAILABLE                      | §2.1 assets: those that the Service has
asset.address             | listing token        | asset.address flip                               | ASSET_NOT_AVAILABLE                      | §2.2 address: a token is its contract
asset.decimals            | listing              | asset.decimals + 1                               | ASSET_NOT_AVAILABLE                      | §2.2 decimals
asset.type                | listing token typed  | asset.type = "TRC20"                             | ASSET_NOT_AVAILABLE                      | §2.2 type
asset.min                 | limits unquoted      | asset.minPurchaseAmount = 99999999999            | AMOUNT_OUT_OF_LIMITS                     | §2.2 minPurchaseAmount
asset.max                 | limits unquoted      | asset.maxPurchaseAmount = 0.01                   | AMOUNT_OUT_OF_LIMITS                     | §2.2 maxPurchaseAmount
asset.min-crypto          | limits unquoted      | asset.minPurchaseCryptoUnits = "99999999999999999999999999999" | AMOUNT_OUT_OF_LIMITS       | §2.2 minPurchaseCryptoAmount
asset.price.more          | priced unquoted purchase | asset.price * 0.4                            | RATE_OUT_OF_LINE                         | §2.2 price
asset.price.sale          | priced unquoted sale | asset.price * 2.5                                | RATE_OUT_OF_LINE                         | §2.3 price
global.min                | limits unquoted      | asset.minPurchaseAmount = null; global.minPurchaseAmount = 99999999999 | AMOUNT_OUT_OF_LIMITS | §2.1 minPurchaseAmount, where the asset has none
global.max                | limits unquoted      | asset.maxPurchaseAmount = null; global.maxPurchaseAmount = 0.01 | AMOUNT_OUT_OF_LIMITS      | §2.1 maxPurchaseAmount, where the asset has none
method.gone               | methods unquoted     | method = null                                    | METHOD_UNSUPPORTED                       | §2.4 name
method.currencies         | methods unquoted     | method.currencies = ["XAF"]                      | METHOD_UNSUPPORTED                       | §2.4 currencies
currency.onramp           | currencies purchase  | currency.onramp = false                          | ASSET_NOT_AVAILABLE                      | §2.5 onrampAvailable
currency.offramp          | currencies sale      | currency.offramp = false                         | ASSET_NOT_AVAILABLE                      | §2.5 offrampAvailable
`;

/** Ordinary, or below what anybody would ask about: nothing may speak. */
export const SILENT_LISTINGS = `
asset.hidden              | listing              | asset.hidden = true                              | | §2.2 hidden: for sale all the same
asset.address.lower       | listing evm          | asset.address lower                              | | §2.2 address: EVM addresses in any case
asset.price.moved         | listing              | asset.price * 1.01; asset.priceEur * 1.01        | | §2.2 price: approximate
asset.networkFee.moved    | listing              | asset.networkFee * 1.05                          | | §2.2 networkFee: of its moment
global.min-fee            | bounds               | global.minFeeAmount * 1.0001                     | | §2.1 minFeeAmount: the minimum is no floor
method.countries          | methods unquoted     | method.countries = ["aq"]                        | | §2.4 countries: the user's is not known
currency.other-side       | currencies purchase  | currency.offramp = false                         | | §2.5 offrampAvailable: of sales only
`;
