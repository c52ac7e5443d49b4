/** Receivers and transactions in the form of each chain; nobody has their keys. */
import { createHash } from 'node:crypto';
import { base58, base58xrp, bech32 } from '@scure/base';

const digest = (text: string) => createHash('sha256').update(text).digest();

export function receiverOf(chain: string, id: string): string {
  const bytes = digest(`receiver ${id}`);
  const key = bytes.subarray(0, 20);
  switch (chain) {
    case 'BTC':
      return bech32.encode('bc', [0, ...bech32.toWords(key)]);
    case 'LTC':
      return bech32.encode('ltc', [0, ...bech32.toWords(key)]);
    case 'NEAR':
      return bytes.toString('hex');
    case 'SOLANA':
      return base58.encode(bytes);
    case 'XRP': {
      const versioned = Buffer.concat([Buffer.of(0), key]);
      const check = createHash('sha256').update(createHash('sha256').update(versioned).digest()).digest();
      return base58xrp.encode(Buffer.concat([versioned, check.subarray(0, 4)]));
    }
    default:
      return `0x${key.toString('hex')}`;
  }
}

export function transactionOf(chain: string, id: string): string {
  const bytes = digest(`transaction ${id}`);
  if (chain === 'SOLANA') return base58.encode(Buffer.concat([bytes, digest(`more ${id}`)]));
  if (chain === 'NEAR') return base58.encode(bytes);
  const hex = bytes.toString('hex');
  return ['BTC', 'LTC', 'XRP'].includes(chain) ? hex : `0x${hex}`;
}
