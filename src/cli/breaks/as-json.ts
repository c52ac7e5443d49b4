/** Breaks as `--json` prints them: the columns of breaks.csv, and for one break its explanation. */

import { type Instant, isoInstant } from '../../domain/record.ts';
import type { BreakStory, JudgedIn, RecordStory, Today } from '../../explain/story.ts';
import { BREAK_COLUMNS } from '../../ports/break-columns.ts';
import type { PastBreakEvent } from '../../ports/store/breaks.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';

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

function eventAsJson(event: PastBreakEvent) {
  return {
    type: event.type,
    at: isoInstant(event.at),
    business_date: event.businessDate,
    run_id: event.runId,
    who: event.who,
    reason: event.reason,
    state: event.after.state,
    expected: event.after.expected,
    actual: event.after.actual,
    difference: event.after.difference,
  };
}

const iso = (at: Instant | null) => (at === null ? null : isoInstant(at));

export function storyAsJson(story: BreakStory) {
  const { standing, rule, action, settledBy, record, judgedIn, workings, recomputed, today, events } = story;
  return {
    ...breakAsJson(standing),
    title: rule?.title ?? null,
    why: rule?.why ?? null,
    action,
    settled_by: settledBy,
    arithmetic: workings,
    recomputed,
    today: todayAsJson(today),
    judged_in: judgedIn === null ? null : judgedAsJson(judgedIn),
    body: story.state === null ? null : bodyAsJson(story.state),
    quote: judgedIn === null ? null : quoteAsJson(judgedIn.quote),
    reference: judgedIn === null ? null : referenceAsJson(judgedIn, story.state?.paymentMethod ?? null),
    record: record === null ? null : recordAsJson(record),
    events: events.map(eventAsJson),
  };
}

function todayAsJson({ changed, verdict, difference, tolerance }: Today) {
  return { changed_settings: changed, verdict, difference, tolerance };
}

function judgedAsJson({ runId, businessDate, asOf, codeVersion, rulesHash, observation }: JudgedIn) {
  const at = observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null;
  return {
    run_id: runId,
    business_date: businessDate,
    as_of: isoInstant(asOf),
    code_version: codeVersion,
    rules_hash: rulesHash,
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
  return {
    status: state.status,
    created_at: iso(state.createdAt),
    updated_at: iso(state.updatedAt),
    asset_chain: state.asset.chain,
    asset_symbol: state.asset.symbol,
    asset_decimals: state.asset.decimals,
    crypto_units: state.cryptoUnits,
    fiat_currency: state.fiatCurrency,
    fiat_value: state.fiatValue,
    exchange_rate: state.exchangeRate,
    exchange_rate_eur: state.exchangeRateEur,
    fiat_rate_eur: state.fiatRateEur,
    applied_fee: state.appliedFee,
    base_fee: state.baseFee,
    network_fee: state.networkFee,
    host_fee_cut: state.hostFeeCut,
    payment_method: state.paymentMethod,
    final_tx_hash: state.finalTxHash,
  };
}

function quoteAsJson(matched: JudgedIn['quote']) {
  if (matched === null) return null;
  const { quote, basis, ageSeconds, method } = matched;
  return {
    quote_id: quote.quoteId,
    basis,
    age_seconds: ageSeconds,
    captured_at: isoInstant(quote.capturedAt),
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
    captured_at: isoInstant(capturedAt),
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
    tracked_at: isoInstant(trackedAt),
    status,
    status_since: iso(statusSince),
    last_verified_at: iso(lastVerifiedAt),
    linked_quote_id: facts.quoteId,
    expected_status: facts.expectedStatus,
    shown_total: facts.shown?.total ?? null,
    shown_fee: facts.shown?.fee ?? null,
    conflict: facts.conflict,
    webhooks: facts.webhookEvents.map(({ type, at }) => ({ type, at: isoInstant(at) })),
    status_changes: seen.statusChanges.map(({ from, to, fromSeenAt, toSeenAt, learnedFrom, legal }) => ({
      from_status: from,
      to_status: to,
      from_seen_at: isoInstant(fromSeenAt),
      to_seen_at: isoInstant(toSeenAt),
      learned_from: learnedFrom,
      legal,
    })),
    bodies: seen.sightings.map(({ sha256, at, origin: from, httpStatus, status: then, kept }) => ({
      sha256,
      received_at: isoInstant(at),
      origin: from,
      http_status: httpStatus,
      status: then,
      kept,
    })),
  };
}
