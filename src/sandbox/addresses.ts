/** Addresses and transaction hashes of the right form for a chain. They are random, so no wallet has them. */
import { createHash } from 'node:crypto';
import { base58, bech32 } from '@scure/base';
import type { Draws } from './random.ts';

const EVM: ReadonlySet<string> = new Set(['ETH', 'MATIC', 'ARBITRUM', 'OPTIMISM', 'BASE', 'BSC', 'AVAX']);

export function drawAddress(draws: Draws, chain: string): string {
  if (EVM.has(chain)) return `0x${draws.hex(40)}`;
  switch (chain) {
    case 'BTC':
      return payToKeyHash('bc', draws.base36(38));
    case 'LTC':
      return payToKeyHash('ltc', draws.base36(38));
    case 'SOLANA':
      return base58.encode(digest(draws.base58(44)));
    case 'XLM':
      // The second letter has the last bits of the version: only A to D make an account.
      return `GA${draws.base32(55).slice(1)}`;
    case 'TRON':
      return `T${draws.base58(33)}`;
    case 'DOGE':
      return `D${draws.base58(33)}`;
    default:
      return `r${draws.base58(33)}`;
  }
}

export function drawTransaction(draws: Draws, chain: string): string {
  if (EVM.has(chain)) return `0x${draws.hex(64)}`;
  return chain === 'SOLANA' ? draws.base58(88) : draws.hex(64);
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Segregated witness, version 0, to a key hash without a known key. */
function payToKeyHash(prefix: string, text: string): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(digest(text).subarray(0, 20))]);
}
