/** Breaks as `--json` prints them: the columns of breaks.csv, and for one break its explanation. */

import type { BreakStory, JudgedIn, RecordStory } from '../../explain/story.ts';
import { BREAK_COLUMNS } from '../../ports/break-columns.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { picked, snakeCase } from '../output.ts';

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
    events: events.map((event) => ({
      ...picked(event, 'type', 'at', 'businessDate', 'runId', 'who', 'reason'),
      ...picked(event.after, 'state', 'expected', 'actual', 'difference'),
    })),
  });
}

function judgedAsJson({ observation, ...run }: JudgedIn) {
  const at = observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null;
  return {
    ...picked(run, 'runId', 'businessDate', 'asOf', 'codeVersion', 'rulesHash'),
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
  const { chain: assetChain, symbol: assetSymbol, decimals: assetDecimals } = state.asset;
  return {
    ...picked(state, 'status', 'createdAt', 'updatedAt'),
    ...{ assetChain, assetSymbol, assetDecimals },
    ...picked(state, 'cryptoUnits', 'fiatCurrency', 'fiatValue', 'exchangeRate', 'exchangeRateEur', 'fiatRateEur'),
    ...picked(state, 'appliedFee', 'baseFee', 'networkFee', 'hostFeeCut', 'paymentMethod', 'finalTxHash'),
  };
}

function quoteAsJson(matched: JudgedIn['quote']) {
  if (matched === null) return null;
  const { quote, method } = matched;
  return {
    quoteId: quote.quoteId,
    ...picked(matched, 'basis', 'ageSeconds'),
    capturedAt: quote.capturedAt,
    apiVersion: quote.api,
    ...picked(quote, 'direction', 'asset', 'fiatCurrency', 'assetTerms'),
    promise: method,
    methods: quote.methods.map((each) => each.method),
  };
}

function referenceAsJson({ reference, methodsCapturedAt }: JudgedIn, paymentMethod: string | null) {
  const { methods } = reference;
  const own = paymentMethod === null ? undefined : methods?.get(paymentMethod);
  return {
    ...picked(reference, 'global', 'asset'),
    methods: methods === null ? null : [...methods.keys()],
    methodsCapturedAt,
    method: own ?? null,
  };
}

function recordAsJson({ facts, ...record }: RecordStory) {
  return {
    trackedFrom: record.origin,
    ...picked(record, 'trackedAt', 'status', 'statusSince', 'lastVerifiedAt'),
    linkedQuoteId: facts.quoteId,
    expectedStatus: facts.expectedStatus,
    shownTotal: facts.shown?.total ?? null,
    shownFee: facts.shown?.fee ?? null,
    conflict: facts.conflict,
    webhooks: facts.webhookEvents.map(({ type, at }) => ({ type, at })),
    statusChanges: record.statusChanges.map(({ from: fromStatus, to: toStatus, ...change }) => {
      return { fromStatus, toStatus, ...change };
    }),
    bodies: record.sightings.map(({ at: receivedAt, redactedSha256, ...body }) => ({ receivedAt, ...body })),
  };
}
