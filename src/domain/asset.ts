/**
 * Asset identity is (chain, v3 symbol), read from the best evidence that a body has. Bodies name assets in several forms:
 * `chain` + `symbol` (v3), the joined `MATIC_ETH` with or without `chain` (v1), a bare `DAI` beside a `cryptoAssetSymbol`,
 * or a bare symbol whose `type` is a chain or a token standard.
 */

/** The part of an asset that says whether two bodies speak of the same one. */
export interface AssetIdentity {
  /** Empty where no evidence names it. */
  chain: string;
  /** The v3 symbol, without the chain. */
  symbol: string;
  /** Digits between units (wei) and whole tokens. */
  decimals: number;
  /** Token contract; null or absent for native assets and where unknown. */
  address?: string | null;
  /** True where the chain follows from a token standard alone, which other chains may use as well. */
  chainPresumed?: boolean;
}

export interface Asset extends AssetIdentity {
  address: string | null;
}

/** The naming fields as bodies have them; null where absent. */
interface AssetNames {
  symbol: string;
  chain: string | null;
  apiV3Symbol: string | null;
  type: string | null;
  address: string | null;
  /** `cryptoAssetSymbol` of the same body, then of its request. */
  joined: readonly (string | null | undefined)[];
}

/** Token standards and the chain that each was made for. */
const STANDARD_CHAIN: ReadonlyMap<string, string> = new Map([
  ['ERC20', 'ETH'],
  ['ERC721', 'ETH'],
  ['BEP20', 'BSC'],
  ['BEP2', 'BNB'],
  ['TRC20', 'TRON'],
  ['SPL', 'SOLANA'],
]);

/** How standards are named: letters, then a number (`SEP41`, `CW20`, `TRC10`). */
const NAMED_LIKE_A_STANDARD = /^[A-Z]{2,5}-?\d+$/;

type ChainAndSymbol = Pick<AssetIdentity, 'chain' | 'symbol' | 'chainPresumed'>;

/**
 * The evidence in order: `chain`; a joined symbol; the `cryptoAssetSymbol` of the body or its request; `type`. What is left
 * is an unknown chain, which the reference data may know by the contract address (`resolveChain`).
 */
export function assetIdentity(names: AssetNames): ChainAndSymbol {
  const { chain, apiV3Symbol } = names;
  if (chain !== null) {
    const { symbol } = names;
    return { chain, symbol: apiV3Symbol ?? (symbol.startsWith(`${chain}_`) ? symbol.slice(chain.length + 1) : symbol) };
  }
  const asked = names.joined.find(
    (name) => name?.endsWith(`_${names.symbol}`) && name.length > names.symbol.length + 1,
  );
  const isBare = asked !== undefined || apiV3Symbol === names.symbol;
  const own = isBare ? null : splitJoined(names.symbol);
  if (own !== null) return { chain: own.chain, symbol: apiV3Symbol ?? own.symbol };
  const symbol = apiV3Symbol ?? names.symbol;
  if (asked) return { chain: asked.slice(0, -names.symbol.length - 1), symbol };
  return { symbol, ...chainOfType(names) };
}

/** A token standard presumes a chain; a token's own symbol is never its chain. */
function chainOfType({ type, symbol, address }: AssetNames): Omit<ChainAndSymbol, 'symbol'> {
  if (type === null || type === '') return { chain: '' };
  if (type === 'NATIVE') return address === null ? { chain: symbol, chainPresumed: true } : { chain: '' };
  const joined = splitJoined(type);
  if (joined !== null && isStandard(joined.symbol)) return { chain: joined.chain };
  if (!isStandard(type)) return { chain: address !== null && type === symbol ? '' : type };
  // The recorded Stellar tokens are typed ERC20, but their addresses are not Ethereum's.
  const fits = address === null || !/^(?:ERC|BEP20)/.test(type) || address.startsWith('0x');
  const chain = fits ? STANDARD_CHAIN.get(type) : undefined;
  return chain === undefined ? { chain: '' } : { chain, chainPresumed: true };
}

function isStandard(type: string): boolean {
  return STANDARD_CHAIN.has(type) || NAMED_LIKE_A_STANDARD.test(type);
}

function splitJoined(symbol: string): { chain: string; symbol: string } | null {
  const bar = symbol.indexOf('_');
  return bar > 0 && bar < symbol.length - 1 ? { chain: symbol.slice(0, bar), symbol: symbol.slice(bar + 1) } : null;
}

/** `ETH_USDC`, the identifier that quote requests and widget parameters use; the symbol alone where the chain is unknown. */
export function assetIdentifier(asset: { chain: string; symbol: string }): string {
  return asset.chain === '' ? asset.symbol : `${asset.chain}_${asset.symbol}`;
}

/**
 * Whether two bodies may speak of the same asset. Known chains decide. Where one is unknown or presumed, decimals and
 * contract addresses decide, and what is missing on a side excludes nothing.
 */
export function sameAsset(a: AssetIdentity, b: AssetIdentity): boolean {
  if (a.symbol !== b.symbol) return false;
  if (a.chain === b.chain && a.chain !== '') return true;
  const open = (asset: AssetIdentity) => asset.chain === '' || asset.chainPresumed === true;
  if (!open(a) && !open(b)) return false;
  return a.decimals === b.decimals && !contradicts(a.address ?? null, b.address ?? null);
}

function contradicts(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && !sameAddress(a, b);
}

/**
 * Completes an unknown chain from a listing (one chain and symbol an entry): by the contract address; a native asset by its
 * symbol where it is its own chain, or the only one listed. Null where the listing does not tell.
 */
export function resolveChain(asset: Asset, listed: readonly AssetIdentity[]): string | null {
  const alike = listed.filter((each) => each.chain !== '' && each.symbol === asset.symbol);
  const fitting = alike.filter((each) => each.decimals === asset.decimals);
  const found =
    asset.address === null
      ? (fitting.find((each) => each.chain === each.symbol) ?? only(fitting))
      : only(fitting.filter((each) => sameAddress(each.address ?? null, asset.address)));
  return found?.chain ?? null;
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Contract addresses compare case-insensitively where they are hexadecimal (EVM chains), exactly elsewhere. */
export function sameAddress(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.startsWith('0x') && b.startsWith('0x') && a.toLowerCase() === b.toLowerCase();
}
