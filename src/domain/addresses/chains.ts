/** The address formats of each chain. Addresses of other chains are not checked. */
import {
  type AddressForm,
  anyOf,
  base58Check,
  bech32,
  evm,
  pattern,
  ripple,
  segwit,
  solana,
  ss58,
  stellar,
} from './forms.ts';

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const looks = (first: string, from: number, to: number) => new RegExp(`^[${first}]${BASE58}{${from},${to}}$`);

/** The base58 addresses that came with Bitcoin: one byte of version, twenty of key or script hash. */
const bitcoinLike = (first: string, ...versions: string[]): AddressForm =>
  base58Check({ versions, content: 20, looks: looks(first, 24, 34) });

const EVM_SHAPE = /^0x[0-9a-fA-F]{40}$/;

interface AddressKind {
  /** For sentences: `an EVM address (0x…)`. */
  name: string;
  form: AddressForm;
  /** Of the most frequent kinds, what nearly all of them look like: of a million records few need their form worked out. */
  shape?: RegExp;
  chains: readonly string[];
}

/** Names of chains as the Service writes them, with the usual other spellings. Main networks only. */
const ADDRESS_KINDS: readonly AddressKind[] = [
  {
    name: 'an EVM address (0x and 40 hexadecimal digits)',
    form: evm,
    shape: EVM_SHAPE,
    chains: (
      'ETH MATIC POLYGON ARBITRUM OPTIMISM BASE BSC AVAX CELO FANTOM XDAI GNOSIS LINEA SCROLL BLAST MANTLE MODE ' +
      'ZKSYNC ZKSYNCERA POLYGONZKEVM FUSE MOONBEAM MOONRIVER AURORA GOERLI SEPOLIA HOLESKY'
    ).split(' '),
  },
  {
    name: 'a Bitcoin address (1…, 3… or bc1…)',
    form: anyOf(segwit('bc'), bitcoinLike('13', '00', '05')),
    shape:
      /^(?:bc1[02-9ac-hj-np-z]{39}(?:[02-9ac-hj-np-z]{20})?|1[1-9A-HJ-NP-Za-km-z]{32,33}|3[1-9A-HJ-NP-Za-km-z]{33})$/,
    chains: ['BTC'],
  },
  {
    name: 'a Litecoin address (L…, M…, 3… or ltc1…)',
    form: anyOf(segwit('ltc'), bitcoinLike('LM3', '30', '32', '05')),
    chains: ['LTC'],
  },
  { name: 'a Dogecoin address (D…, A… or 9…)', form: bitcoinLike('DA9', '1e', '16'), chains: ['DOGE'] },
  { name: 'a Dash address (X… or 7…)', form: bitcoinLike('X7', '4c', '10'), chains: ['DASH'] },
  {
    name: 'a transparent Zcash address (t1… or t3…)',
    form: base58Check({ versions: ['1cb8', '1cbd'], content: 20, looks: looks('t', 34, 34) }),
    chains: ['ZEC'],
  },
  {
    name: 'a Solana address (32 bytes in base58)',
    form: solana,
    shape: /^[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{42,43}$/,
    chains: ['SOLANA', 'SOL'],
  },
  { name: 'an XRP address (r… or X…)', form: ripple, chains: ['XRP'] },
  { name: 'a Stellar address (G… or M…)', form: stellar, chains: ['XLM', 'STELLAR'] },
  {
    name: 'a TRON address (T…)',
    form: base58Check({ versions: ['41'], content: 20, looks: looks('T', 33, 33) }),
    chains: ['TRON', 'TRX'],
  },
  {
    name: 'a Cardano address (addr1…)',
    form: bech32('addr', [29, 57]),
    chains: ['ADA', 'CARDANO'],
  },
  { name: 'a Polkadot address', form: ss58(0), chains: ['DOT', 'POLKADOT'] },
  { name: 'a Kusama address', form: ss58(2), chains: ['KSM', 'KUSAMA'] },
  { name: 'a Cosmos Hub address (cosmos1…)', form: bech32('cosmos', [20, 32]), chains: ['COSMOS', 'ATOM'] },
  { name: 'an Osmosis address (osmo1…)', form: bech32('osmo', [20, 32]), chains: ['OSMOSIS', 'OSMO'] },
  { name: 'a Terra address (terra1…)', form: bech32('terra', [20, 32]), chains: ['LUNA', 'TERRA'] },
  {
    name: 'a Tezos address (tz1…, tz2…, tz3… or KT1…)',
    form: base58Check({ versions: ['06a19f', '06a1a1', '06a1a4', '025a79'], content: 20, looks: looks('tK', 35, 35) }),
    chains: ['XTZ', 'TEZOS'],
  },
  {
    name: 'a Filecoin address (f1…, f2…, f3… or f4…)',
    form: pattern(/^f([12][a-z2-7]{39}|3[a-z2-7]{84}|410f[a-z2-7]{39})$/),
    chains: ['FILECOIN', 'FIL'],
  },
  { name: 'an EOS account (12 of a–z, 1–5 and points)', form: pattern(/^[a-z1-5.]{1,12}$/), chains: ['EOS'] },
  {
    name: 'a NEAR account',
    form: pattern(/^(?=.{2,64}$)([a-z\d]+[-_])*[a-z\d]+(\.([a-z\d]+[-_])*[a-z\d]+)*$/),
    chains: ['NEAR'],
  },
];

/** Networks of one form of address that bodies call by the name of another, test networks among them. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ['POLYGON', 'MATIC'],
  ['GNOSIS', 'XDAI'],
  ['ZKSYNCERA', 'ZKSYNC'],
  ['GOERLI', 'ETH'],
  ['SEPOLIA', 'ETH'],
  ['HOLESKY', 'ETH'],
]);

const BY_CHAIN: ReadonlyMap<string, AddressKind> = new Map(
  ADDRESS_KINDS.flatMap((kind) => kind.chains.map((chain) => [chain, kind] as const)),
);

/** The address formats of a chain; undefined where they are unknown. */
export function addressKind(chain: string): AddressKind | undefined {
  return BY_CHAIN.get(chain);
}

/** Whether two names are certainly of two chains: both are known, and neither is another spelling of the other. */
export function areTwoChains(a: string, b: string): boolean {
  const [one, other] = [BY_CHAIN.get(a), BY_CHAIN.get(b)];
  if (one === undefined || other === undefined) return false;
  return one !== other || (one.form === evm && (CALLED.get(a) ?? a) !== (CALLED.get(b) ?? b));
}

/**
 * The kind of address of a text on any chain; undefined for none. EOS and NEAR accounts are left out, because any
 * short word would be one.
 */
export function recogniseAddress(text: string): { kind: AddressKind; answer: 'valid' | 'checksum' } | undefined {
  const telling = ADDRESS_KINDS.filter(({ chains }) => !chains.includes('EOS') && !chains.includes('NEAR'));
  for (const answer of ['valid', 'checksum'] as const) {
    const kind = telling.find(({ form }) => form(text) === answer);
    if (kind !== undefined) return { kind, answer };
  }
  return undefined;
}

/**
 * Whether a text looks like an address of a chain; true where its addresses have no form that is known here. A mistyped one does, unless
 * its kind has a shape: then its length is wrong as well.
 */
export function looksLikeAddress(chain: string, text: string): boolean {
  const kind = BY_CHAIN.get(chain);
  if (kind === undefined) return true;
  const { shape, form } = kind;
  return shape === undefined ? form(text) !== 'form' : shape.test(text) || form(text) === 'valid';
}
