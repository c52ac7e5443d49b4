/**
 * Real transactions, as other projects keep them for their own tests (the files in test/evidence/vectors name repository, commit and
 * licence of each). What each moved was read from them by another program, in another language.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  idOf,
  isUnder,
  outputsOf,
  readHeader,
  scriptOf,
  transaction,
} from '../../src/evidence/chain/bitcoin/transaction.ts';
import {
  transaction as evmTransaction,
  loggedTransfers,
  receipt,
  tracedByCalls,
  tracedByList,
} from '../../src/evidence/chain/evm/transfers.ts';
import { gainsOf, transaction as solanaTransaction } from '../../src/evidence/chain/solana/transfers.ts';

interface Moved {
  to: string;
  asset: string | null;
  units: string;
}
interface Vectors {
  receipts: { source: string; licence: string; receipt: { transactionHash: string }; transfers: Moved[] }[];
  executed: {
    source: string;
    licence: string;
    tx: { hash: string; to: string; value: string; blockNumber: string };
    logs: unknown[];
    transfers: Moved[];
  }[];
  traces: {
    source: string;
    licence: string;
    form: 'calls' | 'list';
    block: string;
    result: unknown;
    transfers: Moved[];
  }[];
}
const vectors = JSON.parse(readFileSync(new URL('vectors/evm.json', import.meta.url), 'utf8')) as Vectors;

const SOME_BLOCK = `0x${'0b'.repeat(32)}`;
const shown = (transfers: readonly { to: string; asset: string | null; units: bigint }[] | null) =>
  transfers?.map((each) => ({ ...each, units: each.units.toString() }));
const nameOf = ({ source }: { source: string }) => source.replace('github.com/', '').replace(/ .*\//, ' ');

describe('real EVM transactions', () => {
  it('are at least ten receipts, of at least three sources, each with its licence', () => {
    const all = [...vectors.receipts, ...vectors.executed];
    expect(all.length).toBeGreaterThanOrEqual(10);
    expect(new Set(all.map(({ source }) => source.split(' ')[0])).size).toBeGreaterThanOrEqual(3);
    expect(all.every(({ licence }) => licence !== '')).toBe(true);
    expect(all.reduce((sum, { transfers }) => sum + transfers.length, 0)).toBeGreaterThan(25);
  });

  it.each(
    vectors.receipts.map((each) => [`${nameOf(each)} ${each.receipt.transactionHash.slice(0, 10)}`, each] as const),
  )('receipt: %s', (_name, { receipt: wire, transfers }) => {
    const read = receipt.parse(wire);
    const plain = { hash: read.transactionHash, to: null, value: '0x0', input: '0x' };
    expect(shown(loggedTransfers(evmTransaction.parse(plain), read))).toEqual(transfers);
  });

  it.each(vectors.executed.map((each) => [nameOf(each), each] as const))(
    'executed: %s',
    (_name, { tx, logs, transfers }) => {
      const { hash: transactionHash, blockNumber } = tx;
      const read = receipt.parse({ transactionHash, blockHash: SOME_BLOCK, blockNumber, status: '0x1', logs });
      expect(shown(loggedTransfers(evmTransaction.parse({ ...tx, input: '0x' }), read))).toEqual(transfers);
    },
  );

  it.each(vectors.traces.map((each) => [`${each.form} ${nameOf(each)}`, each] as const))(
    'coins inside calls: %s',
    (_name, { form, result, transfers }) => {
      const traced = form === 'calls' ? tracedByCalls(result) : tracedByList(result);
      const sorted = (all: readonly Moved[] | undefined) => all?.map((each) => JSON.stringify(each)).sort();
      expect(sorted(shown(traced))).toEqual(sorted(transfers));
    },
  );
});

interface SolanaVector {
  source: string;
  licence: string;
  transaction: {
    transaction: { signatures: string[]; message: { accountKeys: string[] } };
    meta: { err: unknown; loadedAddresses?: { writable: string[]; readonly: string[] } };
  };
  transfers: Moved[];
}
const { transactions: solana } = JSON.parse(readFileSync(new URL('vectors/solana.json', import.meta.url), 'utf8')) as {
  transactions: SolanaVector[];
};
const signatureOf = ({ transaction: { transaction: tx } }: SolanaVector) => tx.signatures[0]?.slice(0, 10);

describe('real Solana transactions, of mainnet', () => {
  it('are six, each with its source and licence', () => {
    expect(solana.map(({ source, licence }) => source.startsWith('github.com/') && licence !== '')).toEqual(
      Array.from({ length: 6 }, () => true),
    );
  });

  it.each(solana.map((each) => [nameOf(each), each] as const))('%s', (_name, { transaction: wire, transfers }) => {
    const read = solanaTransaction.parse(wire);
    expect(shown(read.meta.err === null ? gainsOf(read) : [])).toEqual(transfers);
  });

  it.each(solana.map((each) => [nameOf(each), each] as const))(
    '%s: says the same as jsonParsed, where the accounts are objects and those of lookup tables are among them',
    (_name, { transaction: wire, transfers }) => {
      const { accountKeys } = wire.transaction.message;
      const { writable = [], readonly = [] } = wire.meta.loadedAddresses ?? {};
      const isWhole = accountKeys.includes(readonly[0] ?? '');
      const keys = [...accountKeys, ...(isWhole ? [] : [...writable, ...readonly])].map((pubkey) => ({ pubkey }));
      const parsed = { ...wire, transaction: { ...wire.transaction, message: { accountKeys: keys } } };
      const read = solanaTransaction.parse(parsed);
      expect(shown(read.meta.err === null ? gainsOf(read) : [])).toEqual(transfers);
    },
  );

  // As the source describes it in words.
  const [USDC, COBIE, JUP] = [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'HaMv3cdfDW6357yjpDur6kb6w52BUPJrMJpR76tjpump',
    'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
  ];
  it.each([
    ['2pfnv4drhn', 'DtMUkCoeyzs35B6EpQQxPyyog6TRwXxV1W1Acp8nWBNa', COBIE, '2583728601'],
    ['2pfnv4drhn', '3msVd34R5KxonDzyNSV5nT19UtUeJ2RF1NaQhvVPNLxL', USDC, '10000'],
    ['2pfnv4drhn', 'CebN5WGQ4jvEPvsVU4EoHEpgzq1VV7AbicfhtW4xC9iM', null, '723'],
    ['2pfnv4drhn', 'HUCjBnmd4FoUjCCMYQ9xFz1ce1r8vWAd8uMhUQakE2FR', null, '72380'],
    ['5LuTa5k9Uv', 'DtMUkCoeyzs35B6EpQQxPyyog6TRwXxV1W1Acp8nWBNa', JUP, '2143812'],
  ])('%s: %s gets %s: %s', (signature, to, asset, units) => {
    const found = solana.find((each) => signatureOf(each) === signature);
    expect(shown(gainsOf(solanaTransaction.parse(found?.transaction)))).toContainEqual({ to, asset, units });
  });
});

describe('real Bitcoin', () => {
  /** Block 170, of 12 January 2009: the first payment from one person to another. Public chain data. */
  const FIRST_PAYMENT = {
    txid: 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
    version: 1,
    locktime: 0,
    vin: [
      {
        txid: '0437cd7f8525ceed2324359c2d0ba26006d92d856a9c20fa0241106ee5a597c9',
        vout: 0,
        scriptsig:
          '47304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901',
        sequence: 0xffff_ffff,
      },
    ],
    vout: [
      {
        scriptpubkey:
          '4104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac',
        value: 1_000_000_000,
      },
      {
        scriptpubkey:
          '410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac',
        value: 4_000_000_000,
      },
    ],
    status: { confirmed: true, block_height: 170 },
  };
  const HEADER_170 =
    '0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb05421ab93e63f8c3ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70';
  const COINBASE_170 = 'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082';
  const proof = { block_height: 170, merkle: [COINBASE_170], pos: 1 };

  it('the fields of a transaction hash to its id, and one other satoshi does not', () => {
    const tx = transaction.parse(FIRST_PAYMENT);
    expect(idOf(tx)).toBe(FIRST_PAYMENT.txid);
    const [first, second] = FIRST_PAYMENT.vout;
    expect(idOf(transaction.parse({ ...FIRST_PAYMENT, vout: [{ ...first, value: 1_000_000_001 }, second] }))).not.toBe(
      FIRST_PAYMENT.txid,
    );
    expect(outputsOf(tx)?.map(({ units }) => units)).toEqual([1_000_000_000n, 4_000_000_000n]);
  });

  it('its place is proven under the header, whose own hash is the block’s', () => {
    const header = readHeader(HEADER_170);
    expect(header).toMatchObject({
      hash: '00000000d1145790a8694403d4063f323d499e655c83426834d4ce2f8dd4a2ee',
      time: Date.parse('2009-01-12T03:30:25Z'),
    });
    if (header === null) return;
    expect(isUnder(header, FIRST_PAYMENT.txid, proof)).toBe(true);
    expect(isUnder(header, FIRST_PAYMENT.txid, { ...proof, pos: 0 })).toBe(false);
    expect(isUnder(header, FIRST_PAYMENT.txid, { ...proof, pos: 3 })).toBe(false);
    expect(isUnder(header, COINBASE_170, proof)).toBe(false);
  });

  it('a header without the work that it names is none', () => {
    expect(readHeader(HEADER_170.replace(/70$/, '71'))).toBeNull();
    expect(readHeader(HEADER_170.slice(2))).toBeNull();
  });

  // BIP 173 and BIP 350 (test vectors, BSD-2-Clause), Bitcoin Core key_io_valid.json (MIT).
  it.each([
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac'],
    ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
  ])('%s stands for its script', (address, script) => {
    expect(scriptOf(address)).toBe(script);
  });

  it.each([
    ['a letter mistyped', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['version 1 in the old checksum', 'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx'],
    ['a checksum of base58 that fails', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3'],
    ['no address', 'hello'],
  ])('%s stands for none', (_what, address) => {
    expect(scriptOf(address)).toBeNull();
  });
});
