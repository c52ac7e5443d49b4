import { describe, expect, test } from 'vitest';
import { addressKind, looksLikeAddress, recogniseAddress } from '../../src/domain/addresses/chains.ts';
import { isTransactionHash } from '../../src/domain/addresses/transactions.ts';

// Published test vectors and well-known addresses; none was computed by the code under test.
describe('an address', () => {
  test.each([
    ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'valid'],
    ['ETH', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', 'valid'],
    ['ETH', '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB', 'valid'],
    ['BASE', '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', 'valid'],
    ['MATIC', '0x52908400098527886E0F7030069857D2E4169EE7', 'valid'],
    ['BSC', '0xde709f2102306220921060314715629080e2fb77', 'valid'],
    ['ETH', '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'checksum'],
    ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', 'form'],
    ['ETH', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'form'],
    ['ETH', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'form'],
    ['BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'valid'],
    ['BTC', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'valid'],
    ['BTC', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'valid'],
    ['BTC', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'valid'],
    ['BTC', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'valid'],
    ['BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'checksum'],
    ['BTC', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp', 'checksum'],
    // Version 1 with the checksum of version 0 (BIP 350).
    ['BTC', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'form'],
    // Version 17.
    ['BTC', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R', 'form'],
    ['BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'form'],
    ['BTC', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'form'],
    ['LTC', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', 'valid'],
    ['DOGE', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', 'valid'],
    ['DOGE', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7M', 'checksum'],
    ['SOLANA', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'valid'],
    ['SOLANA', '11111111111111111111111111111111', 'valid'],
    ['SOLANA', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt', 'form'],
    ['XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'valid'],
    ['XRP', 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ', 'valid'],
    ['XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi', 'checksum'],
    ['XLM', 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN', 'valid'],
    ['XLM', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK', 'valid'],
    ['XLM', 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVM', 'checksum'],
    ['TRON', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'valid'],
    ['TRON', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'checksum'],
    ['COSMOS', 'cosmos1depk54cuajgkzea6zpgkq36tnjwdzv4afc3d27', 'valid'],
    ['DOT', '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5', 'valid'],
    ['DOT', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'form'],
    [
      'ADA',
      'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
      'valid',
    ],
    ['XTZ', 'tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb', 'valid'],
    ['ZEC', 't1Hsc1LR8yKnbbe3twRp88p6vFfC5t7DLbs', 'valid'],
    ['FILECOIN', 'f1abjxfbp274xpdqcpuaykwkfb43omjotacm2p3za', 'valid'],
    ['EOS', 'eosio.token', 'valid'],
    ['NEAR', 'relay.aurora', 'valid'],
  ])('on %s: %s is %s', (chain, address, answer) => {
    expect(addressKind(chain)?.form(address)).toBe(answer);
  });

  test('of a chain that is not known here cannot be judged', () => {
    expect(addressKind('SOMECHAIN')).toBeUndefined();
  });

  test.each(['', ' ', '1', 'x'.repeat(5000), '1'.repeat(5000), '💸'])('%s is none, and no trouble', (text) => {
    expect(recogniseAddress(text)).toBeUndefined();
  });
});

describe('a receiver or a hash as a body has it, whose checksum nobody typed', () => {
  test.each([
    ['SOLANA', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV', true],
    ['SOLANA', '11111111111111111111111111111111', true],
    ['SOLANA', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCF', false],
    ['SOLANA', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', false],
    ['BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', true],
    ['BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', true],
    ['BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7Div', false],
    ['BTC', '1111111111111111111114oLvT2', true],
    ['BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', true],
    ['BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3', false],
    ['XLM', 'anything', false],
    ['A_NEW_CHAIN', 'anything', true],
  ])('%s %s: %s', (chain, text, expected) => {
    expect(looksLikeAddress(chain, text)).toBe(expected);
  });

  test('a signature of Solana has 87 or 88 digits, fewer with bytes of zero before it', () => {
    const digits = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
    expect(isTransactionHash('SOLANA', digits)).toBe(true);
    expect(isTransactionHash('SOLANA', digits.slice(1))).toBe(true);
    expect(isTransactionHash('SOLANA', digits.slice(2))).toBe(false);
    expect(isTransactionHash('SOLANA', '1'.repeat(64))).toBe(true);
  });

  test.each([
    ['NEAR', 'GmZoJfRDsSrLLmXWPvM5UbUwQqeeJ1bbAkMUqZfNEHdP', true],
    ['DOT', '21474836-2', true],
    ['XTZ', 'ooD1QpVjSEHQGmpCWKFAJPvrrSzCqgEPa4t4VxErQYEaGEHjHDb', true],
    ['NEAR', 'pending', false],
    ['NEAR', `0x${'ab'.repeat(32)}`, false],
    ['DOT', 'not known yet, ask the Service', false],
    ['A CHAIN THAT NOBODY KNOWS', 'pending', true],
  ])('where hashes have several forms, a word is none: %s %s', (chain, text, isOne) => {
    expect(isTransactionHash(chain, text)).toBe(isOne);
  });
});
