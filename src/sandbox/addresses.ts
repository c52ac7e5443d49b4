/** Addresses and transaction hashes of the right form for a chain. They are random, so no wallet has them. */
import type { Draws } from './random.ts';

const EVM: ReadonlySet<string> = new Set(['ETH', 'MATIC', 'ARBITRUM', 'OPTIMISM', 'BASE', 'BSC', 'AVAX']);

export function drawAddress(draws: Draws, chain: string): string {
  if (EVM.has(chain)) return `0x${draws.hex(40)}`;
  switch (chain) {
    case 'BTC':
      return `bc1q${draws.base36(38)}`;
    case 'LTC':
      return `ltc1q${draws.base36(38)}`;
    case 'SOLANA':
      return draws.base58(44);
    case 'XLM':
      return `G${draws.base32(55)}`;
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
