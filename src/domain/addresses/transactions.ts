/** Whether a text can be the hash of a transaction, by chain. */
import { addressKind } from './chains.ts';
import { evm } from './forms.ts';

const HEX = /^[0-9a-fA-F]{64}$/;
const PREFIXED_HEX = /^0x[0-9a-fA-F]{64}$/;
/** Solana's signatures are 64 bytes in base58: 87 or 88 digits, and fewer only where they begin with bytes of zero, each a 1. */
const BASE58_SIGNATURE = /^(?:[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{86,87}|1[1-9A-HJ-NP-Za-km-z]{63,87})$/;
/** The 32 bytes of a hash in base58. */
const BASE58_HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Tezos, Filecoin and others have several; Polkadot's may be named by block and index. None is a word such as `pending`. */
const NO_WORD = /^(?:\S{20,}|\d+-\d+)$/;

const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ...['BTC', 'LTC', 'DOGE', 'DASH', 'ZEC', 'XRP', 'XLM', 'STELLAR', 'TRON', 'TRX'].map(
    (chain) => [chain, HEX] as const,
  ),
  ...['ADA', 'CARDANO', 'COSMOS', 'ATOM', 'OSMOSIS', 'OSMO'].map((chain) => [chain, HEX] as const),
  ...['SOLANA', 'SOL'].map((chain) => [chain, BASE58_SIGNATURE] as const),
  ['NEAR', BASE58_HASH],
]);

/** True where the chain is not known here. Nothing hashes to zero. */
export function isTransactionHash(chain: string, text: string): boolean {
  const kind = addressKind(chain);
  const form = kind?.form === evm ? PREFIXED_HEX : (FORMS.get(chain) ?? NO_WORD);
  return kind === undefined || (form.test(text) && !/^(?:0x)?0+$/.test(text));
}

const HEXADECIMAL = /^(?:0x)?[0-9a-f]+$/i;

/** Hexadecimal digits are the same in capitals. */
export function sameHash(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return HEXADECIMAL.test(a) && HEXADECIMAL.test(b) && a.toLowerCase() === b.toLowerCase();
}
