/**
 * A Solana chain of this machine: messages as the protocol lays them out, signed with a key of its own, so that a
 * transaction's name is its real signature; blocks whose hashes cover what is in them; and a ledger for the balances
 * before and after.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';

const SYSTEM = '11111111111111111111111111111111';
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const FEE = 5000n;
/** What an account of a token must hold to exist. */
const RENT = 2_039_280n;
const SLOT_MS = 400;

export interface SolanaOutput {
  to: string;
  /** Null for lamports. */
  mint: string | null;
  decimals: number;
  units: bigint;
}

interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: { amount: string; decimals: number };
}

export interface SolanaTransaction {
  signature: string;
  /** The signed bytes. */
  message: Buffer;
  slot: number;
  /** Seconds. */
  blockTime: number;
  accountKeys: readonly string[];
  recentBlockhash: string;
  meta: {
    err: unknown;
    fee: number;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: TokenBalance[];
    postTokenBalances: TokenBalance[];
  };
}

interface SolanaBlock {
  slot: number;
  blockhash: string;
  previousBlockhash: string;
  blockTime: number;
  signatures: readonly string[];
}

/** A private key from 32 bytes: the fixed beginning of its PKCS #8 form. */
function keyOf(seed: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

const digest = (...parts: readonly (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The account in which an owner holds a token. */
export const tokenAccount = (owner: string, mint: string) => base58.encode(digest('token account', owner, mint));

export class SolanaChain {
  readonly blocks: SolanaBlock[] = [];
  readonly transactions = new Map<string, SolanaTransaction>();
  readonly #since: number;
  readonly #key: KeyObject;
  readonly #payer: string;
  readonly #lamports = new Map<string, bigint>();
  /** By token account. */
  readonly #tokens = new Map<string, { owner: string; mint: string; units: bigint; decimals: number }>();

  /** @param since time of the first block, in milliseconds */
  constructor(since: number, lamports: bigint) {
    this.#since = since;
    this.#key = keyOf(digest('the payer of a sandbox'));
    this.#payer = base58.encode(createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).subarray(-32));
    this.#lamports.set(this.#payer, lamports);
    this.#seal(0, since, []);
  }

  /** One transaction in a block of its own. @returns its signature */
  pay(outputs: readonly SolanaOutput[], at: number, fails = false): string {
    const slot = Math.max((this.blocks.at(-1)?.slot ?? 0) + 1, Math.floor((at - this.#since) / SLOT_MS));
    const recentBlockhash = this.blocks.at(-1)?.blockhash ?? '';
    const message = this.#message(outputs, recentBlockhash);
    const signature = base58.encode(sign(null, message.bytes, this.#key));
    const before = this.#balances(message.keys);
    this.#spend(this.#payer, FEE);
    if (!fails) for (const output of outputs) this.#move(output);
    const after = this.#balances(message.keys);
    const blockTime = Math.floor(at / 1000);
    this.transactions.set(signature, {
      signature,
      message: message.bytes,
      slot,
      blockTime,
      accountKeys: message.keys,
      recentBlockhash,
      meta: {
        err: fails ? { InstructionError: [0, { Custom: 1 }] } : null,
        fee: Number(FEE),
        preBalances: before.lamports,
        postBalances: after.lamports,
        preTokenBalances: before.tokens,
        postTokenBalances: after.tokens,
      },
    });
    this.#seal(slot, at, [signature]);
    return signature;
  }

  #seal(slot: number, at: number, signatures: readonly string[]): void {
    const previousBlockhash = this.blocks.at(-1)?.blockhash ?? SYSTEM;
    const blockhash = base58.encode(digest(previousBlockhash, String(slot), ...signatures));
    this.blocks.push({ slot, blockhash, previousBlockhash, blockTime: Math.floor(at / 1000), signatures });
  }

  #spend(account: string, lamports: bigint): void {
    this.#lamports.set(account, (this.#lamports.get(account) ?? 0n) - lamports);
  }

  #move({ to, mint, decimals, units }: SolanaOutput): void {
    if (mint === null) {
      this.#spend(this.#payer, units);
      this.#spend(to, -units);
      return;
    }
    const account = tokenAccount(to, mint);
    const held = this.#tokens.get(account);
    if (held === undefined) {
      this.#spend(this.#payer, RENT);
      this.#spend(account, -RENT);
    }
    this.#tokens.set(account, { owner: to, mint, decimals, units: (held?.units ?? 0n) + units });
    const chest = tokenAccount(this.#payer, mint);
    const own = this.#tokens.get(chest)?.units ?? 1_000_000_000_000_000_000n;
    this.#tokens.set(chest, { owner: this.#payer, mint, decimals, units: own - units });
  }

  #balances(keys: readonly string[]): { lamports: number[]; tokens: TokenBalance[] } {
    return {
      lamports: keys.map((key) => Number(this.#lamports.get(key) ?? 0n)),
      tokens: keys.flatMap((key, accountIndex) => {
        const held = this.#tokens.get(key);
        if (held === undefined) return [];
        const { mint, owner, units, decimals } = held;
        const uiTokenAmount = { amount: units.toString(), decimals };
        return [{ accountIndex, mint, owner, programId: TOKENS, uiTokenAmount }];
      }),
    };
  }

  /** The legacy form: counts, keys, a recent block hash, and one instruction an output. */
  #message(outputs: readonly SolanaOutput[], recentBlockhash: string): { bytes: Buffer; keys: string[] } {
    const places = outputs.map(({ to, mint }) =>
      mint === null ? [to] : [tokenAccount(this.#payer, mint), tokenAccount(to, mint)],
    );
    const mints = outputs.flatMap(({ mint }) => (mint === null ? [] : [mint]));
    const programs = [...(mints.length < outputs.length ? [SYSTEM] : []), ...(mints.length > 0 ? [TOKENS] : [])];
    const readOnly = [...new Set([...mints, ...programs])];
    const keys = [...new Set([this.#payer, ...places.flat()]), ...readOnly];
    const at = (key: string) => keys.indexOf(key);
    const instructions = outputs.map(({ mint, units, decimals }, i) => {
      const data = Buffer.alloc(mint === null ? 12 : 10);
      if (mint === null) data.writeUInt32LE(2);
      else data.writeUInt8(12);
      data.writeBigUInt64LE(units, mint === null ? 4 : 1);
      if (mint !== null) data.writeUInt8(decimals, 9);
      const [from = '', to = ''] = places[i] ?? [];
      const accounts = mint === null ? [0, at(from)] : [at(from), at(mint), at(to), 0];
      return Buffer.from([at(mint === null ? SYSTEM : TOKENS), accounts.length, ...accounts, data.length, ...data]);
    });
    const bytes = Buffer.concat([
      Buffer.from([1, 0, readOnly.length, keys.length]),
      ...keys.map((key) => Buffer.from(base58.decode(key))),
      Buffer.from(base58.decode(recentBlockhash)),
      Buffer.from([instructions.length]),
      ...instructions,
    ]);
    return { bytes, keys };
  }
}
