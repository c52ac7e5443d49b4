/**
 * What no chain can have said. An endpoint that gives a time in milliseconds, a height that no chain has or more coins than there
 * are has given no answer: stored as one, it would stand for ever, and against the Service.
 */
import type { Transfer } from '../../domain/delivery.ts';
import type { Instant } from '../../domain/record.ts';
import type { Account, FinderResult } from '../../ports/witness.ts';

/** The first block of Bitcoin, which is the oldest chain. */
const FIRST_BLOCK: Instant = Date.UTC(2009, 0, 3);
/** The clock of this machine may be the wrong one, and the chains of the sandbox run two days ahead. */
const AHEAD_MS = 3 * 86_400_000;
/** Of the fastest chains. */
export const MOST_BLOCKS_A_DAY = 10_000_000;
const HEIGHT = /^\d{1,12}$/;
/** Transfers that one endpoint may name, as many as the pages of one address hold; each is looked at. */
export const MOST_NAMED = 100_000;
/** A batched payout has thousands; a receipt is refused at as many events. */
const MOST_TRANSFERS = 20_000;
/** Coins of 18 decimals: a billion billions of them. Tokens may say what they like, and it concerns only them. */
const MOST_COINS = 10n ** 36n;
const MOST_UNITS = 2n ** 256n;

/** Null where it can be the time of a block. @param now null where the caller has no clock: only what no clock allows is found */
export function timeProblem(time: Instant, now: Instant | null): string | null {
  if (time >= FIRST_BLOCK && time <= (now ?? Date.UTC(2100, 0, 1)) + AHEAD_MS) return null;
  return `gives a time (${time / 1000} s) that no block can have`;
}

/** The account, or that it is none: its reason says why, and what was received is kept. */
export function onlyPlausible(account: Account, now: Instant): Account {
  if (account.answer === 'none') return account;
  const problem = timeProblem(account.upTo, now) ?? (account.answer === 'found' ? problemOf(account, now) : null);
  return problem === null ? account : { answer: 'none', reason: problem, raw: account.raw, isImplausible: true };
}

/** The list, or that it is none: a payment whose time is in another unit would be passed over, and the span count as looked through. */
export function onlyPlausibleList(listed: FinderResult, now: Instant): FinderResult {
  if (!listed.ok) return listed;
  const times = [listed.upTo, ...listed.incoming.flatMap(({ at }) => at ?? [])];
  const wrong = times.find((time) => timeProblem(time, now) !== null);
  return wrong === undefined ? listed : { ok: false, reason: timeProblem(wrong, now) ?? '' };
}

function problemOf(found: Extract<Account, { answer: 'found' }>, now: Instant): string | null {
  const { blockNumber, blockTime, transfers, inner } = found;
  if (!HEIGHT.test(blockNumber)) return 'gives a height that no block can have';
  if (transfers.length + (inner?.length ?? 0) > MOST_TRANSFERS)
    return `names more than ${MOST_TRANSFERS} transfers in one transaction`;
  if ([...transfers, ...(inner ?? [])].some(isTooMuch)) return 'names more units than there can be';
  return timeProblem(blockTime, now);
}

const isTooMuch = ({ asset, units }: Transfer) => units < 0n || units >= (asset === null ? MOST_COINS : MOST_UNITS);
