/** What a run knew of a break's record: its body, its quote, the reference data of its time. */
import { assetIdentifier } from '../../domain/asset.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { tokensOf } from '../../domain/fee-parts.ts';
import { type Instant, showInstant } from '../../domain/record.ts';
import type { BreakStory } from '../../explain/story.ts';
import { showDuration } from '../../rules/wording.ts';
import { figure } from '../../rules/working.ts';
import type { Pair } from './page.ts';

const when = (at: Instant | null) => (at === null ? null : showInstant(at));
const money = (value: Decimal | null, unit: string) => (value === null ? null : `${figure(value, unit)} ${unit}`);

export function aboutRecord({ standing, record, state, judgedIn }: BreakStory): Pair[] {
  const facts = record?.facts ?? null;
  return [
    { label: 'record', value: `${standing.kind} ${standing.recordId}` },
    { label: 'host reference', value: standing.hostReference },
    {
      label: 'tracked',
      value: record === null ? null : `since ${showInstant(record.trackedAt)}, from ${record.origin}`,
    },
    { label: 'linked quote', value: facts?.quoteId ?? null },
    { label: 'expected status', value: facts?.expectedStatus ?? null },
    { label: 'shown total', value: facts?.shown?.total?.toString() ?? null },
    { label: 'shown fee', value: facts?.shown?.fee?.toString() ?? null },
    {
      label: 'judged in',
      value:
        judgedIn === null ? null : `${judgedIn.runId}, as of ${showInstant(judgedIn.asOf)}, by ${judgedIn.codeVersion}`,
    },
    { label: 'read', value: judgedIn === null ? null : lookedAt(judgedIn.observation) },
    ...bodyOf(state),
    { label: 'status now', value: statusNow(record) },
    { label: 'last verified', value: record === null ? null : (when(record.lastVerifiedAt) ?? 'never') },
    ...(facts?.webhookEvents ?? []).map(({ type, at }) => ({ label: 'webhook', value: `${type}, ${showInstant(at)}` })),
    ...(record?.statusChanges ?? []).map(({ from, to, toSeenAt, learnedFrom, legal }) => ({
      label: 'status learned',
      value: `${from} → ${to}, ${showInstant(toSeenAt)}, by ${learnedFrom}${legal ? '' : ': the model forbids it'}`,
    })),
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
    { label: 'status then', value: state.status },
    { label: 'created', value: when(state.createdAt) },
    { label: 'last changed', value: when(state.updatedAt) },
    { label: 'crypto', value: `${tokensOf(state)} ${assetIdentifier(state.asset)} (${state.cryptoUnits} units)` },
    { label: 'total', value: money(state.fiatValue, unit) },
    { label: 'exchange rate', value: money(state.exchangeRate, unit) },
    { label: 'applied fee', value: money(state.appliedFee, unit) },
    { label: 'base fee', value: money(state.baseFee, unit) },
    { label: 'network fee', value: money(state.networkFee, unit) },
    { label: 'host fee cut', value: money(state.hostFeeCut, unit) },
    { label: 'payment method', value: state.paymentMethod },
    { label: 'tx hash', value: state.finalTxHash },
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
  if (matched === null) return state === null ? [] : [{ label: 'quote', value: 'none belongs to the record' }];
  const { quote, method, basis, ageSeconds } = matched;
  const unit = quote.fiatCurrency;
  const age =
    ageSeconds === null
      ? null
      : `${showDuration(Math.abs(ageSeconds) * 1000)} ${ageSeconds < 0 ? 'after' : 'before'} the record was created`;
  return [
    { label: 'quote', value: `${quote.quoteId} (${quote.direction}, ${quote.api})` },
    { label: 'captured', value: `${showInstant(quote.capturedAt)}${age === null ? '' : `, ${age}`}` },
    { label: 'basis', value: BASIS[basis] },
    { label: 'for', value: `${assetIdentifier(quote.asset)} in ${unit}` },
    { label: 'method', value: method?.method ?? (state === null ? null : "the record's method is not in it") },
    ...promiseOf(method, unit, quote.asset),
    ...quotedLimits(quote.assetTerms, unit),
  ];
}

type Matched = NonNullable<NonNullable<BreakStory['judgedIn']>['quote']>;

function promiseOf(method: Matched['method'], unit: string, asset: Matched['quote']['asset']): Pair[] {
  if (method === null) return [];
  const tokens = tokensOf({ cryptoUnits: method.cryptoUnits, asset: { ...asset, address: null } });
  return [
    { label: 'quoted total', value: money(method.fiatValue, unit) },
    { label: 'quoted crypto', value: `${tokens} ${assetIdentifier(asset)}` },
    { label: 'quoted applied fee', value: money(method.appliedFee, unit) },
    { label: 'quoted base fee', value: money(method.baseFee, unit) },
    {
      label: 'quoted network fee',
      value:
        method.networkFee === null
          ? null
          : `${money(method.networkFee, unit)}${method.networkFeeExact ? '' : ", converted through the quote's own prices"}`,
    },
    { label: 'quoted host fee cut', value: money(method.hostFeeCut, unit) },
    { label: 'quoted rate', value: money(method.exchangeRate, unit) },
  ];
}

/** @param unit of the price: the quote's own currency, which need not be that of the limits. */
function quotedLimits(terms: Matched['quote']['assetTerms'], unit: string): Pair[] {
  if (terms === null) return [];
  return [
    { label: 'quoted minimum', value: money(terms.minPurchaseAmount, terms.currencyCode) },
    { label: 'quoted maximum', value: money(terms.maxPurchaseAmount, terms.currencyCode) },
    { label: 'quoted price', value: money(terms.price, unit) },
  ];
}

export function aboutReference({ judgedIn, state }: BreakStory): Pair[] {
  if (judgedIn === null || state === null) return [];
  const { global, asset, methods } = judgedIn.reference;
  if (global === null && asset === null && methods === null) {
    return [{ label: 'captured', value: 'nothing from before the record was created' }];
  }
  const unit = global?.currencyCode ?? state.fiatCurrency;
  const own = state.paymentMethod === null ? undefined : methods?.get(state.paymentMethod);
  const nothing = (label: string, value: Decimal | null) => ({
    label,
    value: value === null ? 'no limit of its own' : money(value, unit),
  });
  return [
    {
      label: 'global figures',
      value: global === null ? 'none captured' : `fetched ${showInstant(global.capturedAt)}, in ${unit}`,
    },
    { label: 'lowest fee', value: global === null ? null : money(global.minFeeAmount, unit) },
    {
      label: 'fee percentages',
      value:
        global === null || global.minFeePercent === null
          ? null
          : `${global.minFeePercent} % to ${global.maxFeePercent ?? '?'} %`,
    },
    { label: 'global minimum', value: money(global?.minPurchaseAmount ?? null, unit) },
    { label: 'global maximum', value: money(global?.maxPurchaseAmount ?? null, unit) },
    {
      label: 'asset',
      value:
        asset === null
          ? 'not listed, or none captured'
          : `${assetIdentifier(asset)}, fetched ${showInstant(asset.capturedAt)}`,
    },
    ...(asset === null
      ? []
      : [
          nothing('asset minimum', asset.minPurchaseAmount),
          nothing('asset maximum', asset.maxPurchaseAmount),
          { label: 'asset network fee', value: money(asset.networkFee, unit) },
          { label: 'asset price', value: money(asset.price, unit) },
        ]),
    {
      label: 'methods',
      value:
        methods === null
          ? 'none captured'
          : `${[...methods.keys()].join(', ')}${judgedIn.methodsCapturedAt === null ? '' : `; fetched ${showInstant(judgedIn.methodsCapturedAt)}`}`,
    },
    {
      label: 'of the method',
      value:
        own === undefined
          ? null
          : `${own.currencies.join(', ')}; ${own.countries.length} ${own.countries.length === 1 ? 'country' : 'countries'}`,
    },
  ];
}
