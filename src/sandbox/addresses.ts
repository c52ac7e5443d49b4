/** Addresses and transaction hashes of the right form for a chain. They are random, so no wallet has them. */
import { createHash } from 'node:crypto';
import { type BytesCoder, base32nopad, base58, base58xrp, bech32 } from '@scure/base';
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
      return stellarAccount(draws.base32(55));
    case 'TRON':
      return payToHash(0x41, draws.base58(33));
    case 'DOGE':
      return payToHash(0x1e, draws.base58(33));
    default:
      return payToHash(0, draws.base58(33), base58xrp);
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

/** One byte of version, the hash of a key, and four bytes of a double SHA-256 (Base58Check). */
function payToHash(version: number, text: string, alphabet: BytesCoder = base58): string {
  const payload = Buffer.concat([Buffer.of(version), digest(text).subarray(0, 20)]);
  const check = createHash('sha256').update(createHash('sha256').update(payload).digest()).digest().subarray(0, 4);
  return alphabet.encode(Buffer.concat([payload, check]));
}

/** The version of an account, its key, and a CRC-16 (XMODEM), little end first. */
function stellarAccount(text: string): string {
  const payload = Buffer.concat([Buffer.of(6 << 3), digest(text)]);
  let crc = 0;
  for (const byte of payload) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return base32nopad.encode(Buffer.concat([payload, Buffer.of(crc & 255, crc >> 8)]));
}
