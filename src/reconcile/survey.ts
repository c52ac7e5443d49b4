/**
 * Counts what the records of a run have in common, before any of them is judged: whether a record without a quote is a finding
 * depends on the others of its night.
 */
import { Decimal } from '../domain/decimal.ts';
import { middleShare, quotedHostShare } from '../domain/host-share.ts';
import { isPromised } from '../domain/quote.ts';
import { directionOf, type RecordPosition } from '../domain/record.ts';
import type { Survey } from '../domain/survey.ts';
import type { Fence, ItemStore, MoveStore } from '../ports/store/store.ts';
import type { Lookups } from './build-cases.ts';
import { hoursJudged, moveOf, oneSidedMarkets } from './price-moves.ts';
import type { ThawedRun } from './run-book.ts';
import { buildEach } from './set-aside.ts';

const PAGE = 500;

interface SurveyStore extends Lookups {
  items: Pick<ItemStore, 'cases'>;
  moves: MoveStore;
}

/** One walk over the verified records of the run. Their cases are built only where a quote is stored that could belong to one. */
export async function surveyRun(thawed: ThawedRun, store: SurveyStore, fence: Fence): Promise<Survey> {
  const { run } = thawed;
  const quotes = { onramp: { records: 0, quoted: 0 }, offramp: { records: 0, quoted: 0 } };
  const hostShares = new Map<string, number>();
  for (let after: RecordPosition | null = null; ; ) {
    const stored = await store.items.cases(run, after, PAGE);
    const last = stored.at(-1);
    if (last === undefined) break;
    const verified = stored.filter(({ observation }) => observation.outcome === 'verified');
    for (const { kind } of verified) quotes[directionOf(kind)].records++;
    const promised =
      run.watermarks.quote === 0
        ? []
        : (await buildEach(verified, thawed, store)).filter(({ quote }) => isPromised(quote));
    for (const { kind, quote } of promised) {
      quotes[directionOf(kind)].quoted++;
      if (kind === 'sale' || quote === null) continue;
      // Of a few places, so that a night has a bounded number of them.
      const share = `${(quotedHostShare(quote) ?? Decimal.ZERO).rounded(4)}`;
      hostShares.set(share, (hostShares.get(share) ?? 0) + 1);
    }
    const moves = promised.map(moveOf).filter((move) => move !== null);
    if (moves.length > 0) await store.moves.keep(fence, moves);
    after = { kind: last.kind, recordId: last.recordId };
  }
  const hours = hoursJudged(run);
  await store.moves.forget(fence, hours.from);
  const oneSided = await oneSidedMarkets(store.moves, hours);
  const hostShare = middleShare(hostShares);
  return {
    of: 'run',
    quotes,
    ...(oneSided.length === 0 ? {} : { oneSided }),
    ...(hostShare === null ? {} : { hostShare: `${hostShare}` }),
  };
}
