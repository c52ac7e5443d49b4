/** The case of a break's record as of a run: its body, its quote, the reference data of its time. */

import { assetIdentifier } from '../../domain/asset.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { tokensOf } from '../../domain/fee-parts.ts';
import { type Instant, showInstant } from '../../domain/record.ts';
import type { BreakStory } from '../../explain/story.ts';
import { showDuration } from '../../rules/wording.ts';
import { figure } from '../../rules/working.ts';
import { counted } from '../../text/counts.ts';
import type { Pair } from './page.ts';

/** In words; null for what is not known. */
const said = <T>(value: T | null, words: (value: T) => string) => (value === null ? null : words(value));
const when = (at: Instant | null) => said(at, showInstant);
const money = (value: Decimal | null, unit: string) => said(value, (amount) => `${figure(amount, unit)} ${unit}`);

export function aboutRecord({ standing, record, state, judgedIn }: BreakStory): Pair[] {
  const facts = record?.facts ?? null;
  const shown = (amount: Decimal | null = null) =>
    state === null ? (amount?.toString() ?? null) : money(amount, state.fiatCurrency);
  return [
    ['record', `${standing.kind} ${standing.recordId}`],
    ['host reference', standing.hostReference],
    ['tracked', said(record, ({ trackedAt, origin }) => `since ${showInstant(trackedAt)}, from ${origin}`)],
    ['linked quote', facts?.quoteId ?? null],
    ['expected status', facts?.expectedStatus ?? null],
    ['shown total', shown(facts?.shown?.total)],
    ['shown fee', shown(facts?.shown?.fee)],
    ['judged in', said(judgedIn, (run) => `${run.runId}, as of ${showInstant(run.asOf)}, by ${run.codeVersion}`)],
    ['read', said(judgedIn, ({ observation }) => lookedAt(observation))],
    ...bodyOf(state),
    ['status now', statusNow(record)],
    ['last verified', said(record, ({ lastVerifiedAt }) => when(lastVerifiedAt) ?? 'never')],
    ...(facts?.webhookEvents ?? []).map(({ type, at }): Pair => ['webhook', `${type}, ${showInstant(at)}`]),
    ...(record?.statusChanges ?? []).map(
      ({ from, to, toSeenAt, learnedFrom, legal }): Pair => [
        'status learned',
        `${from} → ${to}, ${showInstant(toSeenAt)}, by ${learnedFrom}${legal ? '' : ': the model forbids it'}`,
      ],
    ),
  ];
}

function lookedAt(observation: NonNullable<BreakStory['judgedIn']>['observation']): string {
  switch (observation.outcome) {
    case 'verified':
      return showInstant(observation.snapshot.evidence.receivedAt);
    case 'quarantined':
      return `${showInstant(observation.at)}: set aside, ${observation.detail}`;
    case 'unreachable':
      return `${showInstant(observation.at)}: ${observation.reason}`;
    case 'deferred':
      return `not looked at: ${observation.reason}`;
  }
}

function statusNow(record: BreakStory['record']): string | null {
  if (record === null || record.status === null) return null;
  return `${record.status}${record.statusSince === null ? '' : `, first seen ${showInstant(record.statusSince)}`}`;
}

function bodyOf(state: BreakStory['state']): Pair[] {
  if (state === null) return [];
  const unit = state.fiatCurrency;
  return [
    ['status then', state.status],
    ['created', when(state.createdAt)],
    ['last changed', when(state.updatedAt)],
    ['crypto', `${tokensOf(state)} ${assetIdentifier(state.asset)} (${state.cryptoUnits} units)`],
    ['total', money(state.fiatValue, unit)],
    ['exchange rate', money(state.exchangeRate, unit)],
    ['applied fee', money(state.appliedFee, unit)],
    ['base fee', money(state.baseFee, unit)],
    ['network fee', money(state.networkFee, unit)],
    ['host fee cut', money(state.hostFeeCut, unit)],
    ['payment method', state.paymentMethod],
    ['tx hash', state.finalTxHash],
  ];
}

const BASIS = {
  linked: 'linked: the application named it for this record',
  captured: 'captured: the latest one near the creation that fits',
  requoted: 'requoted: asked for afterwards, so only percentages are compared',
} as const;

export function aboutQuote({ judgedIn, state }: BreakStory): Pair[] {
  if (judgedIn === null) return [];
  const { quote: matched } = judgedIn;
  if (matched === null) return state === null ? [] : [['quote', 'none belongs to the record']];
  const { quote, method, basis, ageSeconds } = matched;
  const unit = quote.fiatCurrency;
  const age = said(ageSeconds, (seconds) => {
    return `, ${showDuration(Math.abs(seconds) * 1000)} ${seconds < 0 ? 'after' : 'before'} the record was created`;
  });
  return [
    ['quote', `${quote.quoteId} (${quote.direction}, ${quote.api})`],
    ['captured', `${showInstant(quote.capturedAt)}${age ?? ''}`],
    ['basis', BASIS[basis]],
    ['for', `${assetIdentifier(quote.asset)} in ${unit}`],
    ['method', method?.method ?? (state === null ? null : "the record's method is not in it")],
    ['price fixed within', judgedIn.priceWindow],
    ...promiseOf(method, unit, quote.asset),
    ...quotedLimits(quote.assetTerms, unit),
  ];
}

type Matched = NonNullable<NonNullable<BreakStory['judgedIn']>['quote']>;

function promiseOf(method: Matched['method'], unit: string, asset: Matched['quote']['asset']): Pair[] {
  if (method === null) return [];
  const tokens = tokensOf({ cryptoUnits: method.cryptoUnits, asset: { ...asset, address: null } });
  return [
    ['quoted total', money(method.fiatValue, unit)],
    ['quoted crypto', `${tokens} ${assetIdentifier(asset)}`],
    ['quoted applied fee', money(method.appliedFee, unit)],
    ['quoted base fee', money(method.baseFee, unit)],
    [
      'quoted network fee',
      method.networkFee === null
        ? null
        : `${money(method.networkFee, unit)}${method.networkFeeExact ? '' : ", converted through the quote's own prices"}`,
    ],
    ['quoted host fee cut', money(method.hostFeeCut, unit)],
    ['quoted rate', money(method.exchangeRate, unit)],
  ];
}

/** @param unit of the price: the quote's own currency, which need not be that of the limits. */
function quotedLimits(terms: Matched['quote']['assetTerms'], unit: string): Pair[] {
  if (terms === null) return [];
  return [
    ['quoted minimum', money(terms.minPurchaseAmount, terms.currencyCode)],
    ['quoted maximum', money(terms.maxPurchaseAmount, terms.currencyCode)],
    ['quoted price', money(terms.price, unit)],
  ];
}

const countries = ({ length }: { length: number }) => counted(length, 'country', 'countries');

export function aboutReference({ judgedIn, state }: BreakStory): Pair[] {
  if (judgedIn === null || state === null) return [];
  const { global, asset, methods } = judgedIn.reference;
  if (global === null && asset === null && methods === null)
    return [['captured', 'nothing from before the record was created']];
  const unit = global?.currencyCode ?? state.fiatCurrency;
  const own = state.paymentMethod === null ? undefined : methods?.get(state.paymentMethod);
  const limit = (value: Decimal | null) => money(value, unit) ?? 'no limit of its own';
  const ofAsset: Pair[] =
    asset === null
      ? []
      : [
          ['asset minimum', limit(asset.minPurchaseAmount)],
          ['asset maximum', limit(asset.maxPurchaseAmount)],
          ['asset network fee', money(asset.networkFee, unit)],
          ['asset price', money(asset.price, unit)],
        ];
  return [
    ['global figures', global === null ? 'none captured' : `fetched ${showInstant(global.capturedAt)}, in ${unit}`],
    ['lowest fee', money(global?.minFeeAmount ?? null, unit)],
    [
      'fee percentages',
      said(global?.minFeePercent ?? null, (least) => `${least} % to ${global?.maxFeePercent ?? '?'} %`),
    ],
    ['global minimum', money(global?.minPurchaseAmount ?? null, unit)],
    ['global maximum', money(global?.maxPurchaseAmount ?? null, unit)],
    [
      'asset',
      asset === null
        ? 'not listed, or none captured'
        : `${assetIdentifier(asset)}, fetched ${showInstant(asset.capturedAt)}`,
    ],
    ...ofAsset,
    [
      'methods',
      methods === null
        ? 'none captured'
        : `${[...methods.keys()].join(', ')}${judgedIn.methodsCapturedAt === null ? '' : `; fetched ${showInstant(judgedIn.methodsCapturedAt)}`}`,
    ],
    ['of the method', said(own ?? null, (each) => `${each.currencies.join(', ')}; ${countries(each.countries)}`)],
  ];
}
