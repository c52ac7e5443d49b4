/**
 * Asset identity is (chain, v3 symbol). Bodies name assets in several forms: `chain` + `symbol` (v3), the joined
 * `MATIC_ETH` with or without `chain` (v1), or a bare `ETH` whose `type` is a chain or a token standard.
 */

export interface Asset {
  chain: string;
  /** The v3 symbol, without the chain. */
  symbol: string;
  /** Digits between units (wei) and whole tokens. */
  decimals: number;
  /** Token contract, or null for native assets and where unknown. */
  address: string | null;
}

/** The naming fields as bodies have them; null where absent. */
interface AssetNames {
  symbol: string;
  chain: string | null;
  apiV3Symbol: string | null;
  type: string | null;
}

/** Token standards and the chain that a bare symbol of that standard means; null where it means the symbol itself. */
const STANDARD_CHAIN: ReadonlyMap<string, string | null> = new Map([
  ['ERC20', 'ETH'],
  ['BEP20', 'BSC'],
  ['BEP2', 'BNB'],
  ['TRC20', 'TRON'],
  ['SPL', 'SOLANA'],
  ['NATIVE', null],
  ['ERC721', 'ETH'],
]);

/** Derives (chain, v3 symbol) from whichever form is there. */
export function assetIdentity(names: AssetNames): { chain: string; symbol: string } {
  const { symbol, chain, apiV3Symbol, type } = names;
  if (chain !== null) {
    const joined = symbol.startsWith(`${chain}_`) ? symbol.slice(chain.length + 1) : symbol;
    return { chain, symbol: apiV3Symbol ?? joined };
  }
  const bar = symbol.indexOf('_');
  if (bar > 0) return { chain: symbol.slice(0, bar), symbol: apiV3Symbol ?? symbol.slice(bar + 1) };
  if (type === null || type === '') return { chain: symbol, symbol: apiV3Symbol ?? symbol };
  const standard = STANDARD_CHAIN.get(type);
  if (standard === undefined) return { chain: type, symbol: apiV3Symbol ?? symbol };
  return { chain: standard ?? symbol, symbol: apiV3Symbol ?? symbol };
}

/** Splits a v3 identifier `<CHAIN>_<SYMBOL>` (spec §2.6) at its first underscore; a bare symbol is its own chain. */
export function splitAssetIdentifier(identifier: string): { chain: string; symbol: string } {
  return assetIdentity({ symbol: identifier, chain: null, apiV3Symbol: null, type: null });
}

/** `ETH_USDC`, the identifier that quote requests and widget parameters use. */
export function assetIdentifier(asset: { chain: string; symbol: string }): string {
  return `${asset.chain}_${asset.symbol}`;
}

export function sameAsset(a: { chain: string; symbol: string }, b: { chain: string; symbol: string }): boolean {
  return a.chain === b.chain && a.symbol === b.symbol;
}

/** Contract addresses compare case-insensitively where they are hexadecimal (EVM chains), exactly elsewhere. */
export function sameAddress(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.startsWith('0x') && b.startsWith('0x') && a.toLowerCase() === b.toLowerCase();
}
