/** Breaks as `--json` prints them: the columns of breaks.csv, and for one break its explanation. */

import { type Instant, isoInstant } from '../../domain/record.ts';
import type { BreakStory, JudgedIn, RecordStory } from '../../explain/story.ts';
import { BREAK_COLUMNS } from '../../ports/break-columns.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { snakeCase } from '../output.ts';

/** What the work list has besides, behind the column of that name. Each night computes due dates from its settings: none is stored. */
const FURTHER: Readonly<Record<string, (each: CurrentBreak) => object>> = {
  assignee: ({ waiver }) => ({ waiver }),
  leading_break_id: () => ({ due_date: null }),
};

export function breakAsJson(each: CurrentBreak): Readonly<Record<string, unknown>> {
  return Object.assign(
    {},
    ...BREAK_COLUMNS.map(({ name, value }) => ({ [name]: value(each), ...FURTHER[name]?.(each) })),
  );
}

const iso = (at: Instant | null) => (at === null ? null : isoInstant(at));

export function storyAsJson(story: BreakStory) {
  const { standing, rule, action, settledBy, record, judgedIn, workings, recomputed, today, events } = story;
  const { changed, ...nowSays } = today;
  return {
    ...breakAsJson(standing),
    title: rule?.title ?? null,
    why: rule?.why ?? null,
    action,
    settled_by: settledBy,
    arithmetic: workings,
    recomputed,
    today: { changed_settings: changed, ...nowSays },
    judged_in: judgedIn === null ? null : judgedAsJson(judgedIn),
    body: story.state === null ? null : bodyAsJson(story.state),
    quote: judgedIn === null ? null : quoteAsJson(judgedIn.quote),
    reference: judgedIn === null ? null : referenceAsJson(judgedIn, story.state?.paymentMethod ?? null),
    record: record === null ? null : recordAsJson(record),
    events: events.map(({ type, at, businessDate, runId, who, reason, after }) => ({
      ...snakeCase({ type, at, businessDate, runId, who, reason }),
      state: after.state,
      expected: after.expected,
      actual: after.actual,
      difference: after.difference,
    })),
  };
}

function judgedAsJson({ runId, businessDate, asOf, codeVersion, rulesHash, observation }: JudgedIn) {
  const at = observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null;
  return {
    ...snakeCase({ runId, businessDate, asOf, codeVersion, rulesHash }),
    outcome: observation.outcome,
    looked_at: iso('at' in observation ? observation.at : at),
    reason: 'reason' in observation ? observation.reason : null,
    http_status: 'httpStatus' in observation ? observation.httpStatus : null,
    error_code: 'errorCode' in observation ? observation.errorCode : null,
    drift: 'drift' in observation ? observation.drift : [],
  };
}

/** Without the receiver's address: only a break that is about it shows it. */
function bodyAsJson(state: NonNullable<BreakStory['state']>) {
  const { asset, status, createdAt, updatedAt, cryptoUnits, fiatCurrency, fiatValue, paymentMethod, finalTxHash } =
    state;
  const { exchangeRate, exchangeRateEur, fiatRateEur, appliedFee, baseFee, networkFee, hostFeeCut } = state;
  return {
    ...snakeCase({ status, createdAt, updatedAt }),
    asset_chain: asset.chain,
    asset_symbol: asset.symbol,
    asset_decimals: asset.decimals,
    ...snakeCase({ cryptoUnits, fiatCurrency, fiatValue, exchangeRate, exchangeRateEur, fiatRateEur }),
    ...snakeCase({ appliedFee, baseFee, networkFee, hostFeeCut, paymentMethod, finalTxHash }),
  };
}

function quoteAsJson(matched: JudgedIn['quote']) {
  if (matched === null) return null;
  const { quote, basis, ageSeconds, method } = matched;
  const { quoteId, capturedAt } = quote;
  return {
    ...snakeCase({ quoteId, basis, ageSeconds, capturedAt }),
    api_version: quote.api,
    direction: quote.direction,
    asset: quote.asset,
    fiat_currency: quote.fiatCurrency,
    asset_terms: quote.assetTerms,
    promise: method,
    methods: quote.methods.map((each) => each.method),
  };
}

function referenceAsJson({ reference, methodsCapturedAt }: JudgedIn, paymentMethod: string | null) {
  const { global, asset, methods } = reference;
  const own = paymentMethod === null ? undefined : methods?.get(paymentMethod);
  const dated = <T extends { capturedAt: Instant }>({ capturedAt, ...rest }: T) => ({
    ...rest,
    ...snakeCase({ capturedAt }),
  });
  return {
    global: global === null ? null : dated(global),
    asset: asset === null ? null : dated(asset),
    methods: methods === null ? null : [...methods.keys()],
    methods_captured_at: iso(methodsCapturedAt),
    method: own ?? null,
  };
}

function recordAsJson({ origin, trackedAt, status, statusSince, lastVerifiedAt, facts, ...seen }: RecordStory) {
  return {
    tracked_from: origin,
    ...snakeCase({ trackedAt, status, statusSince, lastVerifiedAt }),
    linked_quote_id: facts.quoteId,
    expected_status: facts.expectedStatus,
    shown_total: facts.shown?.total ?? null,
    shown_fee: facts.shown?.fee ?? null,
    conflict: facts.conflict,
    webhooks: facts.webhookEvents.map(({ type, at }) => snakeCase({ type, at })),
    status_changes: seen.statusChanges.map(({ from: fromStatus, to: toStatus, ...change }) =>
      snakeCase({ fromStatus, toStatus, ...change }),
    ),
    bodies: seen.sightings.map(({ at: receivedAt, redactedSha256, ...body }) => snakeCase({ receivedAt, ...body })),
  };
}
