/** What a transaction of an EVM chain moved: its own value, the Transfer events of tokens, and coins moved by inner calls. */
import { z } from 'zod';
import type { Transfer } from '../../../domain/delivery.ts';
import { entryOf } from '../../../domain/entry-of.ts';

export const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/);
export const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const data = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);

export const transaction = z.object({
  hash,
  blockHash: hash.nullish(),
  blockNumber: quantity.nullish(),
  /** Absent in transactions that are older than EIP-155. */
  chainId: quantity.nullish(),
  from: address.nullish(),
  to: address.nullish(),
  value: quantity,
  input: data,
});

const log = z.object({
  address,
  topics: z.array(hash).max(4),
  data,
  logIndex: quantity.optional(),
  transactionHash: hash.optional(),
  blockHash: hash.optional(),
  removed: z.boolean().optional(),
});

export const receipt = z.object({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: quantity,
  /** Absent before Byzantium (2017): such receipts do not say whether the transaction succeeded. */
  status: quantity.nullish(),
  logs: z.array(log).max(20_000),
});

export type WireTransaction = z.infer<typeof transaction>;
export type WireReceipt = z.infer<typeof receipt>;

/** keccak-256 of `Transfer(address,address,uint256)`, the event of ERC-20. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Characters of one word of 32 bytes, with its 0x. */
const WORD = 66;
/** A word that is an address. */
const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/i;

/** What goes to where it came from has moved nothing. */
function moved(from: string | null | undefined, to: string | null | undefined, asset: string | null, units: bigint) {
  if (to === null || to === undefined || units === 0n || from?.toLowerCase() === to.toLowerCase()) return [];
  return [{ to: to.toLowerCase(), asset, units }];
}

/** By its own value and by the events of tokens. `Transfer` of an NFT has its id as a fourth topic and is left out. */
export function loggedTransfers({ from, to, value }: WireTransaction, { logs }: WireReceipt): Transfer[] {
  const tokens = logs.flatMap(({ address: contract, topics, data: said, removed }) => {
    const [event, ...sides] = topics;
    const isTransfer = event?.toLowerCase() === TRANSFER && topics.length === 3 && said.length >= WORD;
    const [payer, receiver] = sides.map((side) => ADDRESS_WORD.exec(side)?.[1]);
    if (!isTransfer || removed === true || receiver === undefined) return [];
    return moved(payer && `0x${payer}`, `0x${receiver}`, contract.toLowerCase(), BigInt(said.slice(0, WORD)));
  });
  return [...moved(from, to, null, BigInt(value)), ...tokens];
}

/** Whether every event is of this transaction and comes once: parts of others would count as its own. */
export function hasOwnLogs({ logs, transactionHash, blockHash }: WireReceipt): boolean {
  const isOf = (own: string, said = own) => said.toLowerCase() === own.toLowerCase();
  const places = logs.flatMap(({ logIndex }) => (logIndex === undefined ? [] : [BigInt(logIndex)]));
  return (
    new Set(places).size === places.length &&
    logs.every((each) => isOf(transactionHash, each.transactionHash) && isOf(blockHash, each.blockHash))
  );
}

/** Coins cannot move inside a plain payment: it runs no code. */
export const runsCode = ({ input }: WireTransaction) => input !== '0x';

const frame = z.object({
  type: z.string().max(20),
  from: address.optional(),
  to: address.optional(),
  value: quantity.optional(),
  error: z.string().optional(),
  calls: z.array(z.unknown()).max(10_000).optional(),
});

/**
 * The inner payments of `debug_traceTransaction` with the callTracer. A call that failed moved nothing, with all that it called;
 * a delegate call moves nothing itself. Null where the answer has another form.
 */
export function tracedByCalls(result: unknown): Transfer[] | null {
  const found: Transfer[] = [];
  const open: { call: unknown; isOuter: boolean }[] = [{ call: result, isOuter: true }];
  // `open` grows meanwhile; taking from its front would move all others each time.
  for (const next of open) {
    const read = frame.safeParse(next.call);
    if (!read.success) return null;
    const { type, from, to, value, error, calls = [] } = read.data;
    if (error !== undefined) continue;
    const moves = type === 'CALL' || type === 'CREATE' || type === 'CREATE2' || type === 'SELFDESTRUCT';
    if (!next.isOuter && moves) found.push(...moved(from, to, null, BigInt(value ?? 0)));
    for (const call of calls) open.push({ call, isOuter: false });
  }
  return found;
}

/** The EVM refuses a call inside 1,024 others. */
const MOST_CALLS_DEEP = 1024;

const parityTrace = z.array(
  z.object({
    type: z.string().max(20),
    error: z.string().nullish(),
    traceAddress: z.array(z.int()).max(MOST_CALLS_DEEP),
    action: z.object({
      callType: z.string().max(20).optional(),
      from: address.optional(),
      to: address.optional(),
      value: quantity.optional(),
      address: address.optional(),
      refundAddress: address.optional(),
      balance: quantity.optional(),
    }),
  }),
);

/** The calls that failed, by the steps of their addresses: one look for each step, however many failed. */
interface Failed {
  is: boolean;
  below: Map<number, Failed>;
}

function isUnderFailed(address: readonly number[], failed: Failed): boolean {
  let at: Failed | undefined = failed;
  for (const step of address) {
    if (at.is) return true;
    at = at.below.get(step);
    if (at === undefined) return false;
  }
  return at.is;
}

/** The same of `trace_transaction` (Erigon, Nethermind, Besu). */
export function tracedByList(result: unknown): Transfer[] | null {
  const read = parityTrace.safeParse(result);
  if (!read.success) return null;
  const failed: Failed = { is: false, below: new Map() };
  for (const { error, traceAddress } of read.data) {
    if (error === null || error === undefined) continue;
    let at = failed;
    for (const step of traceAddress) at = entryOf(at.below, step, () => ({ is: false, below: new Map() }));
    at.is = true;
  }
  return read.data.flatMap(({ type, action, traceAddress }): Transfer[] => {
    if (traceAddress.length === 0 || isUnderFailed(traceAddress, failed)) return [];
    const pays = type === 'call' ? action.callType === 'call' : type === 'create';
    if (type === 'suicide') return moved(action.address, action.refundAddress, null, BigInt(action.balance ?? 0));
    return pays ? moved(action.from, action.to, null, BigInt(action.value ?? 0)) : [];
  });
}
