/**
 * Asset identity is (chain, v3 symbol), read from the best evidence that a body has. Bodies name assets in several forms:
 * `chain` + `symbol` (v3), the joined `MATIC_ETH` with or without `chain` (v1), a bare `DAI` beside a `cryptoAssetSymbol`,
 * or a bare symbol whose `type` is a chain or a token standard.
 */
import { RENAMED_ASSETS } from '../service/profile.ts';

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
  /** As the body has it: `NATIVE` or a token standard (v3), or the chain of a coin (v1, v2). Absent where it was not read. */
  type?: string;
  /** What it is called as well, by the terms of the run; absent where it has one name, and where those terms were not applied. */
  otherNames?: readonly string[];
}

/** Of a record; the decimals turn units into whole tokens. */
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

export function splitJoined(symbol: string): { chain: string; symbol: string } | null {
  const bar = symbol.indexOf('_');
  return bar > 0 && bar < symbol.length - 1 ? { chain: symbol.slice(0, bar), symbol: symbol.slice(bar + 1) } : null;
}

/** `ETH_USDC`, the identifier that quote requests and widget parameters use; the symbol alone where the chain is unknown. */
export function assetIdentifier(asset: { chain: string; symbol: string }): string {
  return asset.chain === '' ? asset.symbol : `${asset.chain}_${asset.symbol}`;
}

/**
 * Whether two bodies may speak of the same asset: of one name, and neither the contract nor the decimals say otherwise. What
 * is missing on a side excludes nothing.
 */
export function sameAsset(a: AssetIdentity, b: AssetIdentity): boolean {
  return sameName(a, b) && a.decimals === b.decimals && !contractsDiffer(a, b);
}

/** An asset that got another name: bodies, quotes and lists change theirs at different times, so both count from then on. */
export interface RenamedAsset {
  chain: string;
  was: string;
  now: string;
  /** The day of the new name, `2024-09-04`. */
  since: string;
}

/**
 * Adds the other names that the asset has at `at`: its own object where it has none.
 * @param renamed those of the settings, or of the run that is judged; absent in older terms, which had the built-in ones
 */
export function withOtherNames<A extends AssetIdentity>(
  asset: A,
  renamed: readonly RenamedAsset[] = RENAMED_ASSETS,
  at = Number.POSITIVE_INFINITY,
): A {
  const { chain, symbol, chainPresumed } = asset;
  const isOpen = chain === '' || chainPresumed === true;
  const otherNames: string[] = [];
  for (const { chain: own, was, now, since } of renamed) {
    if ((symbol !== was && symbol !== now) || (chain !== own && !isOpen) || Date.parse(since) > at) continue;
    otherNames.push(symbol === was ? now : was);
  }
  return otherNames.length === 0 && asset.otherNames === undefined ? asset : { ...asset, otherNames };
}

type Named = Pick<AssetIdentity, 'symbol' | 'otherNames' | 'address'>;

/** Whether two symbols name one asset: the same one, or the old and the new name of a coin, or of a token by its contract. */
export function sameSymbol(a: Named, b: Named): boolean {
  if (a.symbol === b.symbol) return true;
  const isOther = a.otherNames?.includes(b.symbol) === true || b.otherNames?.includes(a.symbol) === true;
  return isOther && sameAddress(contractOf(a), contractOf(b));
}

/** The asset's symbol first, then its other names. */
export function symbolsOf({ symbol, otherNames = [] }: Pick<Named, 'symbol' | 'otherNames'>): readonly string[] {
  return [symbol, ...otherNames];
}

/** The same asset by its names on the same chain; a chain that is unknown or presumed may be any. */
export function sameName(a: AssetIdentity, b: AssetIdentity): boolean {
  if (!sameSymbol(a, b)) return false;
  if (a.chain === b.chain && a.chain !== '') return true;
  const open = (asset: AssetIdentity) => asset.chain === '' || asset.chainPresumed === true;
  return (open(a) || open(b)) && a.decimals === b.decimals && !contractsDiffer(a, b);
}

/** Both name a contract, and not the same one. */
export function contractsDiffer(a: AssetIdentity, b: AssetIdentity): boolean {
  const [ours, theirs] = [contractOf(a), contractOf(b)];
  return ours !== null && theirs !== null && !sameAddress(ours, theirs);
}

/**
 * Addresses that stand for the coin itself in bodies: the zero address, the placeholder of many routers, Polygon's own coin, and on
 * Solana the system program and the mint of wrapped coins.
 */
const COIN = /^(?:0x(?:0{40}|[eE]{40}|0{36}1010)|1{32}|So1{40}2)$/;

/** The token's contract; null for a coin, however a body writes it. */
export function contractOf({ address }: Pick<AssetIdentity, 'address'>): string | null {
  return address === undefined || address === null || address === '' || COIN.test(address) ? null : address;
}

/** `NATIVE` for a coin, the standard for a token (`ERC20`); null where the type is neither the chain nor a known standard. */
export function tokenStandard({ type, chain }: AssetIdentity): string | null {
  if (type === undefined) return null;
  if (type === 'NATIVE' || (type === chain && chain !== '')) return 'NATIVE';
  const standard = isStandard(type) ? type : (splitJoined(type)?.symbol ?? '');
  return isStandard(standard) ? standard : null;
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

/** Forms whose letters may be capitals: hexadecimal (EVM chains), and bech32. */
const ANY_CASE = /^(?:0x|(?:bc|ltc|addr|cosmos|osmo|terra)1)/i;

/** Addresses of other forms compare exactly. */
export function sameAddress(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return ANY_CASE.test(a) && ANY_CASE.test(b) && a.toLowerCase() === b.toLowerCase();
}
