/**
 * What the witnesses of a chain say together. A quorum that says the same is a sighting; anything else is `unverified` with
 * its reason, and every answer is kept. Pure but for the hash.
 */
import { createHash } from 'node:crypto';
import { NOTHING_SEEN, type Sighting, type Transfer } from '../../domain/delivery.ts';
import type { Instant } from '../../domain/record.ts';
import type { Account, SightingWithAnswers } from '../../ports/witness.ts';
import { onlyPlausible } from './plausible.ts';

/** What one witness says of a transaction. */
export interface WitnessAnswer {
  witness: string;
  account: Account;
}

/**
 * An account that no chain can have given is none.
 * @param quorum how many witnesses must say the same; more than a quorum may disagree with none of them
 */
export function agreedSighting(
  tx: { chain: string; txHash: string },
  received: readonly WitnessAnswer[],
  quorum: number,
  at: Instant,
): SightingWithAnswers {
  const heard = received.map(({ witness, account }) => ({ witness, account: onlyPlausible(account, at) }));
  const evidence = JSON.stringify(
    { ...tx, answers: heard.map(({ witness, account }) => ({ witness, ...account })) },
    (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  );
  const sha256 = createHash('sha256').update(evidence).digest('hex');
  const implausible = heard.flatMap(({ witness, account }) =>
    account.answer === 'none' && account.isImplausible === true ? [witness] : [],
  );
  return { sighting: { ...tx, ...verdict(heard, quorum), at, sha256 }, evidence, implausible };
}

type Said = Omit<Sighting, 'chain' | 'txHash' | 'at' | 'sha256'>;

function verdict(heard: readonly WitnessAnswer[], quorum: number): Said {
  const spoken = heard.filter(({ account }) => account.answer !== 'none');
  if (spoken.length < quorum) {
    const why = heard.flatMap(({ witness, account }) =>
      account.answer === 'none' ? [`${witness}: ${account.reason}`] : [],
    );
    return { ...NOTHING_SEEN, reason: `${spoken.length} of ${quorum} endpoints answered (${why.join('; ')})` };
  }
  const groups = [...Map.groupBy(spoken, ({ account }) => essence(account)).values()];
  const [first] = groups;
  // One dissenter is enough: which of two contradicting endpoints is right cannot be known from here.
  if (groups.length > 1 || first === undefined)
    return { ...NOTHING_SEEN, reason: `the endpoints contradict each other: ${inWords(spoken)}` };
  const accounts = first.map(({ account }) => account);
  return saidBy(accounts, quorum);
}

/** What must be the same in two accounts. Traces are left out: an endpoint without them knows less, and contradicts nothing. */
function essence(account: Account): string {
  if (account.answer !== 'found') return account.answer;
  const { succeeded, blockHash, blockNumber, blockTime } = account;
  return JSON.stringify([succeeded, blockHash, blockNumber, blockTime]);
}

const inWords = (spoken: readonly WitnessAnswer[]) =>
  spoken.map(({ witness, account }) => `${witness} says ${shown(account)}`).join(', ');

function shown(account: Account): string {
  return account.answer === 'found'
    ? `block ${account.blockNumber} ${account.blockHash.slice(0, 12)}${account.succeeded ? '' : ', failed'}`
    : account.answer;
}

function saidBy(accounts: readonly Account[], quorum: number): Said {
  const found = accounts.filter((account) => account.answer === 'found');
  const [first] = found;
  const witnesses = accounts.length;
  const upTo = Math.min(...accounts.flatMap((account) => (account.answer === 'none' ? [] : [account.upTo])));
  if (first === undefined)
    return { ...NOTHING_SEEN, seen: accounts[0]?.answer === 'pending' ? 'pending' : 'missing', witnesses, upTo };
  const contradicted = { ...NOTHING_SEEN, reason: 'the endpoints contradict each other about what was moved' };
  if (found.some((each) => listed(each.transfers) !== listed(first.transfers))) return contradicted;
  const traced = found.flatMap(({ inner }) => (inner === null ? [] : [inner]));
  const [inner] = traced;
  if (inner !== undefined && traced.some((each) => listed(each) !== listed(inner))) return contradicted;
  const complete = inner !== undefined && traced.length >= quorum;
  return {
    seen: 'found',
    reason: null,
    succeeded: first.succeeded,
    // A block is final once all say so: the slowest decides.
    final: found.every(({ final }) => final),
    blockNumber: first.blockNumber,
    blockTime: first.blockTime,
    // What too few endpoints trace is left out: coins are then unverified, tokens are not.
    transfers: complete ? [...first.transfers, ...inner] : first.transfers,
    complete,
    witnesses,
    upTo,
  };
}

function listed(transfers: readonly Transfer[]): string {
  return transfers
    .map(({ to, asset, units }) => `${to} ${asset} ${units}`)
    .sort()
    .join('\n');
}
