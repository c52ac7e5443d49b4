/** Witnesses over endpoints on loopback, as the application makes them. */
import { afterEach } from 'vitest';
import type { Sighting } from '../../src/domain/delivery.ts';
import { bitcoinWitness } from '../../src/evidence/chain/bitcoin/witness.ts';
import { httpEndpoint } from '../../src/evidence/chain/endpoint.ts';
import { evmWitness } from '../../src/evidence/chain/evm/witness.ts';
import { jsonRpc } from '../../src/evidence/chain/json-rpc.ts';
import { agreedSighting } from '../../src/evidence/chain/quorum.ts';
import { solanaWitness } from '../../src/evidence/chain/solana/witness.ts';
import type { Account, TxCheck, Witness } from '../../src/ports/witness.ts';
import type { Served } from '../local-chains/loopback.ts';

/** Endpoints for the tests of a file, closed after each test. */
export function endpointsOfATest(): (starting: Promise<Served>) => Promise<Served> {
  const open: Served[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });
  return async (starting) => {
    const served = await starting;
    open.push(served);
    return served;
  };
}

const HOUR = 3_600_000;

/** A payment of coins, due sixteen hours after the start of a chain. */
export const wantedOf = (txHash: string, start: number): TxCheck => ({
  txHash,
  since: start + 10 * HOUR,
  due: start + 16 * HOUR,
  coins: true,
});

const over = (url: string) => httpEndpoint({ url, timeoutMs: 10_000, concurrency: 4, limiter: null, retries: 0 });

export const bitcoinAt = (url: string, genesis: string | null = null): Witness =>
  bitcoinWitness({ name: 'one', endpoint: over(url), genesis, finality: 6 });

export const solanaAt = (url: string, genesis: string | null = null): Witness =>
  solanaWitness({ name: 'one', rpc: jsonRpc(over(url), 20), genesis });

export const evmAt = (
  url: string,
  finality: 'finalized' | number = 'finalized',
  chainId: number | null = null,
): Witness => evmWitness({ name: 'one', rpc: jsonRpc(over(url), 20), chainId, finality, trace: 'off' });

/** The same with traces of calls. */
export const evmTracedAt = (url: string): Witness =>
  evmWitness({ name: 'one', rpc: jsonRpc(over(url), 20), chainId: null, finality: 'finalized', trace: 'debug' });

export async function look(witness: Witness, wanted: TxCheck): Promise<Account> {
  const [account] = await witness.look([wanted], new AbortController().signal);
  if (account === undefined) throw new Error('a witness gives an account of each transaction');
  return account;
}

/** What several witnesses say together. */
export async function hear(witnesses: readonly Witness[], wanted: TxCheck, quorum: number): Promise<Sighting> {
  const heard = await Promise.all(
    witnesses.map(async (witness, i) => ({ witness: `number ${i + 1}`, account: await look(witness, wanted) })),
  );
  return agreedSighting({ chain: 'ANY', txHash: wanted.txHash }, heard, quorum, Date.UTC(2026, 11, 1)).sighting;
}
