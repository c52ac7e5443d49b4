/** Breaks as `--json` prints them: the columns of breaks.csv, and for one break its explanation. */

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

export function storyAsJson(story: BreakStory) {
  const { standing, rule, action, settledBy, record, judgedIn, workings, recomputed, today, events } = story;
  const { changed, ...nowSays } = today;
  return snakeCase({
    ...breakAsJson(standing),
    title: rule?.title ?? null,
    why: rule?.why ?? null,
    action,
    settledBy,
    arithmetic: workings,
    recomputed,
    today: { changedSettings: changed, ...nowSays },
    judgedIn: judgedIn === null ? null : judgedAsJson(judgedIn),
    body: story.state === null ? null : bodyAsJson(story.state),
    quote: judgedIn === null ? null : quoteAsJson(judgedIn.quote),
    reference: judgedIn === null ? null : referenceAsJson(judgedIn, story.state?.paymentMethod ?? null),
    record: record === null ? null : recordAsJson(record),
    events: events.map(({ type, at, businessDate, runId, who, reason, after }) => {
      const { state, expected, actual, difference } = after;
      return { type, at, businessDate, runId, who, reason, state, expected, actual, difference };
    }),
  });
}

function judgedAsJson({ runId, businessDate, asOf, codeVersion, rulesHash, observation }: JudgedIn) {
  const at = observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null;
  return {
    runId,
    businessDate,
    asOf,
    codeVersion,
    rulesHash,
    outcome: observation.outcome,
    lookedAt: 'at' in observation ? observation.at : at,
    reason: 'reason' in observation ? observation.reason : null,
    httpStatus: 'httpStatus' in observation ? observation.httpStatus : null,
    errorCode: 'errorCode' in observation ? observation.errorCode : null,
    drift: 'drift' in observation ? observation.drift : [],
  };
}

/** Without the receiver's address: only a break that is about it shows it. */
function bodyAsJson(state: NonNullable<BreakStory['state']>) {
  const { asset, status, createdAt, updatedAt, cryptoUnits, fiatCurrency, fiatValue, paymentMethod, finalTxHash } =
    state;
  const { exchangeRate, exchangeRateEur, fiatRateEur, appliedFee, baseFee, networkFee, hostFeeCut } = state;
  return {
    status,
    createdAt,
    updatedAt,
    assetChain: asset.chain,
    assetSymbol: asset.symbol,
    assetDecimals: asset.decimals,
    cryptoUnits,
    fiatCurrency,
    fiatValue,
    exchangeRate,
    exchangeRateEur,
    fiatRateEur,
    appliedFee,
    baseFee,
    networkFee,
    hostFeeCut,
    paymentMethod,
    finalTxHash,
  };
}

function quoteAsJson(matched: JudgedIn['quote']) {
  if (matched === null) return null;
  const { quote, basis, ageSeconds, method } = matched;
  const { quoteId, capturedAt, direction, asset, fiatCurrency, assetTerms } = quote;
  return {
    quoteId,
    basis,
    ageSeconds,
    capturedAt,
    apiVersion: quote.api,
    direction,
    asset,
    fiatCurrency,
    assetTerms,
    promise: method,
    methods: quote.methods.map((each) => each.method),
  };
}

function referenceAsJson({ reference, methodsCapturedAt }: JudgedIn, paymentMethod: string | null) {
  const { global, asset, methods } = reference;
  const own = paymentMethod === null ? undefined : methods?.get(paymentMethod);
  return {
    global,
    asset,
    methods: methods === null ? null : [...methods.keys()],
    methodsCapturedAt,
    method: own ?? null,
  };
}

function recordAsJson({ origin, trackedAt, status, statusSince, lastVerifiedAt, facts, ...seen }: RecordStory) {
  return {
    trackedFrom: origin,
    trackedAt,
    status,
    statusSince,
    lastVerifiedAt,
    linkedQuoteId: facts.quoteId,
    expectedStatus: facts.expectedStatus,
    shownTotal: facts.shown?.total ?? null,
    shownFee: facts.shown?.fee ?? null,
    conflict: facts.conflict,
    webhooks: facts.webhookEvents.map(({ type, at }) => ({ type, at })),
    statusChanges: seen.statusChanges.map(({ from: fromStatus, to: toStatus, ...change }) => {
      return { fromStatus, toStatus, ...change };
    }),
    bodies: seen.sightings.map(({ at: receivedAt, redactedSha256, ...body }) => ({ receivedAt, ...body })),
  };
}
