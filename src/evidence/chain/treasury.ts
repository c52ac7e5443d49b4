/**
 * Transfers on a chain to the host's own addresses, as payments of its revenue. Endpoints only propose transactions: what one of them
 * moved is reported by the witnesses, as of a delivery, and counts where a quorum stands behind it and it is final.
 */
import { createHash } from 'node:crypto';
import { sameAddress } from '../../domain/asset.ts';
import { Decimal } from '../../domain/decimal.ts';
import { type Sighting, type Transfer, txName } from '../../domain/delivery.ts';
import type { Payout } from '../../domain/payout.ts';
import type { Instant } from '../../domain/record.ts';
import type { Finder, FinderResult, TxCheck, WitnessSet } from '../../ports/witness.ts';
import { heardOf } from './hear.ts';
import { onlyPlausibleList } from './plausible.ts';

/** A coin that the host is paid in. */
export interface TreasuryAsset {
  symbol: string;
  /** Token contract or mint; null for the chain's own coin. */
  contract: string | null;
  decimals: number;
  /** The currency of the revenue that it pays, with its units for one of it; null where no rate is stated. */
  settles: Payout['settles'];
}

interface Treasury {
  addresses: readonly string[];
  assets: readonly TreasuryAsset[];
}

/** Stores payments with the answers behind them. @returns how many were new */
type Keep = (payouts: readonly Payout[], answers: readonly { sha256: string; text: string }[]) => Promise<number>;

/** What a look through a chain for payments to the host's addresses came to. */
export interface Received {
  added: number;
  unchanged: number;
  /** Up to where the chain was looked through; null where no quorum did. */
  upTo: Instant | null;
  /** Sentences about parts that could not be read: the import is incomplete. */
  problems: readonly string[];
  /** Transactions that the addresses sent themselves. */
  own: number;
}

interface Sought {
  /** Null: only the named transactions are looked at. */
  span: { from: Instant; to: Instant } | null;
  /** Ids of transactions that statements or people name. */
  named: readonly string[];
}

/** Of a search, and of the looks at what it found: endpoints without a fault take minutes for a month. */
const LONGEST_MS = 2 * 3_600_000;
const SHORTER = 'give it fewer days, with --from and --to';

export async function receivedBy(
  { witnesses: set, finders }: { witnesses: WitnessSet; finders: readonly Finder[] },
  treasury: Treasury,
  { span, named }: Sought,
  {
    now,
    signal,
    keep,
    longestMs = LONGEST_MS,
  }: { now: () => Instant; signal: AbortSignal; keep: Keep; longestMs?: number },
): Promise<Received> {
  const { quorum } = set;
  /** What becomes of work that takes too long. */
  const inTime = async <T>(work: (within: AbortSignal) => Promise<T>, otherwise: (within: string) => T): Promise<T> => {
    const late = AbortSignal.timeout(longestMs);
    return work(AbortSignal.any([signal, late])).catch((error: unknown) => {
      if (signal.aborted || !late.aborted) throw error;
      return otherwise(`within ${longestMs / 60_000} minutes; ${SHORTER}`);
    });
  };
  const coins = treasury.assets.some(({ contract }) => contract === null);
  const contracts = treasury.assets.flatMap(({ contract }) => contract ?? []);
  const watched = { addresses: treasury.addresses, contracts, coins };
  const heard =
    span === null
      ? []
      : await Promise.all(
          finders.map(async ({ name, find }) => {
            const listed = await inTime<FinderResult>(
              (within) => find(watched, span, within),
              (why) => ({ ok: false, reason: `did not list all ${why}` }),
            );
            return { name, found: onlyPlausibleList(listed, now()) };
          }),
        );
  const { proposed, upTo, problems } = gathered(heard, { span, named }, quorum);
  const wanted = [...proposed].flatMap(([txHash, isOwn]): TxCheck[] =>
    isOwn ? [] : [{ txHash, since: span?.from ?? now(), due: 0, coins }],
  );
  const received = { added: 0, unchanged: 0, problems };
  let looked = 0;
  const look = async (within: AbortSignal) => {
    // Portion by portion: the answers to all of them may be more than can be held.
    for await (const portion of heardOf(set, wanted, { now, signal: within })) {
      looked += portion.length;
      const paid = portion.map(({ check, sighting, evidence }) => {
        const { payouts, problem } = paidIn(sighting, treasury);
        if (problem !== null) problems.push(`${check.txHash}: ${problem}`);
        return { payouts, answer: { sha256: sighting.sha256, text: evidence } };
      });
      const found = paid.filter(({ payouts }) => payouts.length > 0);
      if (found.length === 0) continue;
      const payouts = found.flatMap((each) => each.payouts);
      const answers = found.map(({ answer }) => answer);
      const added = await keep(payouts, answers);
      received.added += added;
      received.unchanged += payouts.length - added;
    }
    if (looked < wanted.length) within.throwIfAborted();
  };
  await inTime(
    look,
    (why) => void problems.push(`only ${looked} of ${wanted.length} transactions were looked at ${why}`),
  );
  return { ...received, upTo, own: proposed.size - wanted.length };
}

type Heard = { name: string; found: Awaited<ReturnType<Finder['find']>> };

/** The transactions to look at, each with whether the addresses sent it themselves. */
function gathered(heard: readonly Heard[], { span, named }: Sought, quorum: number) {
  const whole = heard.flatMap(({ found }) => (found.ok ? [found] : []));
  const proposed = new Map<string, boolean>(named.map((txHash) => [txHash, false]));
  for (const { txHash, isOwn, at } of whole.flatMap(({ incoming }) => incoming)) {
    // Without a time it may be one of the span: the transaction itself will tell.
    if (span !== null && at !== null && (at < span.from || at >= span.to)) continue;
    // Sent by the addresses themselves only where every endpoint that lists it says so.
    proposed.set(txHash, (proposed.get(txHash) ?? true) && isOwn);
  }
  return {
    proposed,
    // What a quorum has looked through: an endpoint that lags does not hold the others back, and does not vouch for them.
    upTo: whole.map(({ upTo }) => Math.min(upTo, span?.to ?? upTo)).sort((a, b) => b - a)[quorum - 1] ?? null,
    problems: heard.flatMap(({ name, found }) => (found.ok ? [] : [`${name}: ${found.reason}`])),
  };
}

/** Null where its transfers are known; a failed transaction has none. */
function problemOf({ seen, reason, final }: Sighting): string | null {
  if (seen === 'unverified') return reason ?? 'unverified';
  if (seen === 'missing') return 'no endpoint knows it';
  return seen === 'pending' || !final ? 'is not final yet' : null;
}

function paidIn(sighting: Sighting, { addresses, assets }: Treasury): { payouts: Payout[]; problem: string | null } {
  const { chain, txHash, blockTime, transfers, succeeded, complete, sha256 } = sighting;
  const problem = problemOf(sighting);
  if (problem !== null || !succeeded || blockTime === null) return { payouts: [], problem };
  const isTo = ({ to }: Transfer) => addresses.some((each) => sameAddress(each, to));
  const known = assets.filter(({ contract }) => contract !== null || complete);
  const payouts = known.flatMap(({ symbol, contract, decimals, settles }): Payout[] => {
    const units = transfers
      .filter((each) => isTo(each) && sameAddress(each.asset, contract))
      .reduce((sum, each) => sum + each.units, 0n);
    if (units === 0n) return [];
    const tx = txName({ chain, txHash });
    const id = createHash('sha256')
      .update(JSON.stringify(['transfer', tx, contract]))
      .digest('hex');
    return [
      {
        payoutId: id.slice(0, 24),
        source: chain,
        paidAt: blockTime,
        currency: symbol,
        amount: Decimal.of(units, decimals),
        reference: null,
        period: null,
        sha256,
        withheld: null,
        settles,
        tx,
        statementId: null,
        type: 'share',
      },
    ];
  });
  const isUntold = known.length < assets.length && payouts.length === 0;
  return { payouts, problem: isUntold ? 'coins may have moved inside it that too few endpoints trace' : null };
}
