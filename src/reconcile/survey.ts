/**
 * Counts what the records of a run have in common, before any of them is judged: whether a record without a quote is a finding
 * depends on the others of its night.
 */
import { Decimal } from '../domain/decimal.ts';
import { isExecuted } from '../domain/execution.ts';
import { quotedHostShare, statedHostShare, unnamedHostShare } from '../domain/host-share.ts';
import { isPromised, type MatchedQuote } from '../domain/quote.ts';
import { directionOf } from '../domain/record.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { currencyDay, estimatesOf, Medians, marginOf, type Survey } from '../domain/survey.ts';
import { pagesOf } from '../ports/store/pages.ts';
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
  const [hostShares, unnamed, margins] = [new Medians(), new Medians(), new Medians()];
  const fiatRates = new Medians(RATES_OF_A_DAY);
  for await (const stored of pagesOf((after) => store.items.cases(run, after, PAGE))) {
    const verified = stored.filter(({ observation }) => observation.outcome === 'verified');
    for (const { observation } of verified)
      if (observation.outcome === 'verified') addFiatRate(fiatRates, observation.snapshot);
    const promised =
      run.watermarks.quote === 0
        ? []
        : (await buildEach(verified, thawed, store)).filter(({ quote }) => isPromised(quote));
    const withPromise = new Set(promised.map(({ recordKey }) => recordKey));
    for (const { kind, recordKey, dueClass, observation } of verified) {
      const isQuoted = withPromise.has(recordKey);
      if (!isQuoted && observation.outcome === 'verified') {
        const { state } = observation.snapshot;
        addShare(hostShares, statedHostShare(state));
        addShare(unnamed, unnamedHostShare(state));
      }
      // A quiet night has little but the records of earlier ones whose quote is missing: they say nothing of it.
      if (!isQuoted && dueClass === 'open-break') continue;
      quotes[directionOf(kind)].records++;
      if (isQuoted) quotes[directionOf(kind)].quoted++;
    }
    for (const { kind, quote } of promised) {
      if (quote === null) continue;
      const margin = quotedMargin(quote);
      if (margin !== null)
        for (const name of [marginOf({ kind, asset: quote.quote.asset }), directionOf(kind)]) margins.add(name, margin);
      if (kind === 'purchase') addShare(hostShares, quotedHostShare(quote) ?? Decimal.ZERO);
    }
    const moves = promised.map(moveOf).filter((move) => move !== null);
    if (moves.length > 0) await store.moves.keep(fence, moves);
  }
  const hours = hoursJudged(run);
  await store.moves.forget(fence, hours.from);
  const oneSided = await oneSidedMarkets(store.moves, hours);
  const { '': hostShare = '0' } = { ...unnamed.of(LEAST_UNNAMED), ...hostShares.of(1) };
  return {
    of: 'run',
    quotes,
    ...(oneSided.length === 0 ? {} : { oneSided }),
    ...(hostShare === '0' ? {} : { hostShare }),
    ...named('margins', margins.of(LEAST_QUOTES)),
    ...named('fiatRates', fiatRates.of(LEAST_RATES)),
  };
}

function named(name: 'margins' | 'fiatRates', figures: Readonly<Record<string, string>>): Partial<Survey> {
  return Object.keys(figures).length === 0 ? {} : { [name]: figures };
}

/** Of shares: a night has a bounded number of different ones. */
const PLACES = 4;
const LEAST_QUOTES = 5;
/** Fewer records may have what is wrong with them in common. */
const LEAST_UNNAMED = 5;
/** A record and three others. */
const LEAST_RATES = 4;
const RATES_OF_A_DAY = 25;
const RATE_PLACES = 18;

function addShare(shares: Medians, share: Decimal | null): void {
  if (share !== null) shares.add('', share.rounded(PLACES));
}

/** A v3 quote has the published price of its moment beside its own. */
function quotedMargin({ quote: { assetTerms }, method }: MatchedQuote): Decimal | null {
  const [published, quoted] = [assetTerms?.price ?? null, method?.exchangeRate ?? null];
  if (published === null || quoted === null || published.isZero) return null;
  return quoted.minus(published).dividedBy(published, PLACES);
}

function addFiatRate(fiatRates: Medians, body: Snapshot): void {
  const { state } = body;
  const { exchangeRate, exchangeRateEur, fiatRateEur, fiatCurrency } = state;
  const name = currencyDay(state);
  if (fiatCurrency === 'EUR' || fiatRateEur !== null || exchangeRateEur === null || name === null) return;
  if (exchangeRate?.isZero !== false) return;
  const rate = exchangeRateEur.dividedBy(exchangeRate, RATE_PLACES);
  for (const each of isExecuted(body) ? [name] : [name, estimatesOf(name)]) fiatRates.add(each, rate);
}
