import { assetIdentifier, sameAddress, sameAsset } from '../domain/asset.ts';
import type { History } from '../domain/case.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { effectsOf } from '../domain/decompose.ts';
import { firstExecuted, isEstimated, isSaidFixed, wasEstimate } from '../domain/execution.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { couldMove } from '../domain/market.ts';
import { promisingQuote } from '../domain/quote.ts';
import { isoInstant, showInstant } from '../domain/record.ts';
import { shownOf } from '../domain/shown.ts';
import { slippageBeyond } from '../domain/slippage.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import { inPlacesOf, lossByCrypto, lossByFiat } from '../domain/stake.ts';
import { agree, allowance, fiatTolerance } from '../domain/tolerance.ts';
import { type Before, changedFigure, changedText, sameFigure, workOutChange } from './changed.ts';
import { bodyRule, KEPT, NOTHING_FOUND, type RuleFinding, type RuleInput } from './rule.ts';
import { figuresApart } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

export const fieldChanged = bodyRule({
  code: 'FIELD_CHANGED',
  severity: 'high',
  title: 'A field that must never change did',
  why: 'Address, asset, currency, amounts, creation time and method are what the user agreed to; they may not be altered later.',
  action: 'Ask the Service who changed it and why; for an address or an amount treat it as possible fraud.',
  settledBy: KEPT,
  example:
    'The receiver address was bc1qz82t39ctj3hdlle9ha7krcx3v45au04h6fu8u2 when the purchase was first seen (2026-11-22 00:00 UTC) and is bc1q2u8uf6h40ua54v3xcrk7ah9elldh3jtc93t28z now.',
  note: 'Tell security first, then the Service.',
  check(state, input) {
    const { first } = input.history;
    if (first === null) return 'not-applicable';
    const findings = allChanges(input, first, state);
    if (findings.length === 0) return NOTHING_FOUND;
    const isRighted = isCorrection(input, state, findings);
    return findings.map((each) => (isRighted || isAsPromised(input, state, each) ? { ...each, loss: null } : each));
  },
  working(state, input, field) {
    const { younger } = input.history;
    if (field === 'updated_at') return younger === undefined ? null : workOutAge(younger, state);
    const first = bodyBefore(input, state, field);
    return first !== null && !isFixed(input, first) && isEstimated(state, field)
      ? workOutChange(input, field, firstFixed(input), 'first seen fixed')
      : workOutChange(input, field, first, first === input.history.first ? 'first seen' : seenEnded(first));
  },
});

function workOutAge({ updatedAt, seenAt }: NonNullable<History['younger']>, { updatedAt: now }: RecordState): Workings {
  return wordsOnly([
    fact('seen before', showInstant(seenAt)),
    fact('last change then', isoInstant(updatedAt)),
    fact('last change now', now === null ? 'not known' : isoInstant(now)),
    plainOutcome('an older state than was seen before', true),
  ]);
}

/** A loss is measured against the promise: an amount that was corrected to it is none. */
function isAsPromised(input: RuleInput, state: RecordState, { field }: RuleFinding): boolean {
  const { tolerances } = input.terms;
  const method = promisingQuote(input.quote, state)?.method ?? null;
  if (field === 'fiat_value') {
    const total = shownOf(input, state)?.total ?? method?.fiatValue ?? null;
    const room = fiatTolerance(tolerances, state.fiatCurrency, 'FIELD_CHANGED');
    return total !== null && agree(state.fiatValue, total, allowance(room, total));
  }
  const units = method === null || field !== 'crypto_amount' ? null : Decimal.of(method.cryptoUnits);
  return units !== null && agree(Decimal.of(state.cryptoUnits), units, tolerances.crypto.relative.times(units));
}

/** The same where the price floats: what the user got back is the Service's loss only as far as fee, price or amount are better than promised. */
function isCorrection(input: RuleInput, state: RecordState, findings: readonly RuleFinding[]): boolean {
  const { decomposed } = input;
  const loss = findings.reduce((sum, each) => sum.plus(each.loss ?? Decimal.ZERO), Decimal.ZERO);
  if (!loss.isNegative || input.terms.binding.price === 'locked') return false;
  if (decomposed === null || typeof decomposed === 'string') return false;
  const { fee, residual } = effectsOf(decomposed);
  // A fee that agrees with the quote follows the value by some cents.
  const ofFees = input.fees?.applied?.agrees === true ? null : fee;
  if ([ofFees ?? Decimal.ZERO, residual].some((part) => inPlacesOf(part, state.fiatCurrency).isNegative)) return false;
  const beyond = slippageBeyond(input);
  return beyond === null || (typeof beyond !== 'string' && !beyond.against.isNegative);
}

/** A webhook may have announced an end with another figure than the bodies before and after it. A field counts once, by the first body that differs. */
function allChanges(input: RuleInput, first: Snapshot, is: RecordState): readonly RuleFinding[] {
  const found = changes(input, first, is);
  const { firstTerminal } = input.history;
  if (firstTerminal === null || firstTerminal === first || firstTerminal.state === is) return found;
  const ended = changes(input, firstTerminal, is, seenEnded(firstTerminal));
  return [...found, ...ended.filter(({ field }) => !found.some((each) => each.field === field))];
}

function seenEnded(body: Snapshot | null): string {
  return `seen as ${body?.state.status ?? 'finished'}`;
}

/** The body that a change of this field was found by. */
function bodyBefore(input: RuleInput, is: RecordState, field: string): Snapshot | null {
  const { first, firstTerminal } = input.history;
  if (first === null || changes(input, first, is).some((each) => each.field === field)) return first;
  return firstTerminal ?? first;
}

function changes(input: RuleInput, first: Snapshot, is: RecordState, seen = 'first seen'): RuleFinding[] {
  const was = first.state;
  if (was === is) return goneBack(input, is);
  const found: RuleFinding[] = [];
  const before = () => `when the ${is.kind} was ${seen} (${showInstant(first.evidence.receivedAt)})`;
  // Escrow address and payout method of a sale are in some bodies only: one that is not named any more has not been altered.
  const isUnnamed = (text: string | null) => is.kind === 'sale' && text === null;
  const { receiverAddress: to, paymentMethod: method } = is;
  if (was.receiverAddress !== null && !isUnnamed(to) && !sameAddress(was.receiverAddress, to))
    found.push(changedText('receiver_address', 'receiver address', was.receiverAddress, to, before()));
  changedAsset(was, is, before, found);
  changedAmounts(was, is, input.terms.tolerances.crypto.relative, before, found, isFixed(input, first));
  found.push(...changedSinceExecution(input, first, is));
  if (was.createdAt !== null && was.createdAt !== is.createdAt) {
    const now = is.createdAt === null ? null : isoInstant(is.createdAt);
    found.push(changedText('created_at', 'creation time', isoInstant(was.createdAt), now, before()));
  }
  if (was.paymentMethod !== null && !isUnnamed(method) && was.paymentMethod !== method)
    found.push(changedText('payment_method', 'payment method', was.paymentMethod, method, before()));
  found.push(...changedExpiry(was, is, before), ...goneBack(input, is));
  return found;
}

/** An older state of the record, or another history: what is new in the body that was seen before is not in this one. */
function goneBack({ history: { younger } }: RuleInput, { updatedAt }: RecordState): RuleFinding[] {
  if (younger === undefined || updatedAt === null) return [];
  const [then, now] = [isoInstant(younger.updatedAt), isoInstant(updatedAt)];
  const seen = `when the record was seen on ${showInstant(younger.seenAt)}`;
  return [{ ...changedText('updated_at', 'time of the last change', then, now, seen), severity: 'medium' }];
}

/** More time to pay is a favour. A body may name no expiry at all. */
function changedExpiry(was: RecordState, is: RecordState, before: () => Before): RuleFinding[] {
  if (was.endTime === null || is.endTime === null || was.endTime === is.endTime) return [];
  const severity = is.endTime < was.endTime ? ('medium' as const) : ('info' as const);
  return [
    { ...changedText('end_time', 'expiry', isoInstant(was.endTime), isoInstant(is.endTime), before()), severity },
  ];
}

function changedAsset(was: RecordState, is: RecordState, before: () => Before, found: RuleFinding[]): void {
  if (!sameAsset(was.asset, is.asset))
    found.push(changedText('asset', 'asset', assetIdentifier(was.asset), assetIdentifier(is.asset), before()));
  if (was.asset.address !== null && !sameAddress(was.asset.address, is.asset.address))
    found.push(changedText('asset_address', 'token contract', was.asset.address, is.asset.address, before()));
  if (was.asset.decimals !== is.asset.decimals) {
    const [then, now] = [String(was.asset.decimals), String(is.asset.decimals)];
    found.push(changedText('asset_decimals', 'number of decimals of the asset', then, now, before()));
  }
}

/** Whether every amount was fixed in a body: by a locked price, because it was executed, or because no market moved as the amount did. */
function isFixed(input: RuleInput, body: Snapshot): boolean {
  if (input.terms.binding.price === 'locked') return true;
  return isSaidFixed(body, input) && !(wasEstimate(body, input) && followsMarket(input, body));
}

/** A payout that was an estimate moves with the price. True where it is not known how the price moved. */
function followsMarket({ observation, market }: RuleInput, { state: was, evidence }: Snapshot): boolean {
  if (observation.outcome !== 'verified' || was.fiatValue.isZero) return false;
  const { state: is, evidence: tonight } = observation.snapshot;
  const ratio = is.fiatValue.dividedBy(was.fiatValue, RATIO_PLACES);
  return couldMove(market.past, ratio, { from: evidence.receivedAt, to: tonight.receivedAt }) ?? true;
}

const RATIO_PLACES = 12;

/** A payout that moved as no market did was fixed, though no event had announced it. */
function firstFixed(input: RuleInput): Snapshot | null {
  const { firstExecuted: next } = input.history;
  return firstExecuted(input) ?? (next !== undefined && isFixed(input, next) ? next : null);
}

/** What was an estimate when the record was first seen may not change from its execution on. */
function changedSinceExecution(input: RuleInput, first: Snapshot, is: RecordState): RuleFinding[] {
  const executed = firstFixed(input);
  if (executed === null || isFixed(input, first)) return [];
  const found: RuleFinding[] = [];
  const before = () => `when the price was first seen fixed (${showInstant(executed.evidence.receivedAt)})`;
  changedAmounts(executed.state, is, input.terms.tolerances.crypto.relative, before, found, true);
  return found.filter(({ field }) => isEstimated(is, field));
}

/** @param isFixed whether the earlier amounts were; otherwise the tokens of a purchase, or the fiat of a sale, were an estimate. */
function changedAmounts(
  was: RecordState,
  is: RecordState,
  relative: Decimal,
  before: () => Before,
  found: RuleFinding[],
  isFixed: boolean,
): void {
  if (was.fiatCurrency !== is.fiatCurrency)
    found.push(changedText('fiat_currency', 'fiat currency', was.fiatCurrency, is.fiatCurrency, before()));
  const mayDiffer = (field: string) => !isFixed && isEstimated(is, field);
  if (!sameFigure(was.fiatValue, is.fiatValue) && !mayDiffer('fiat_value')) found.push(changedFiat(was, is, before()));
  // Crypto amounts are derived from floating point on the way, so they carry the crypto tolerance even here.
  if (was.cryptoUnits !== is.cryptoUnits && !mayDiffer('crypto_amount')) {
    const units = Decimal.of(was.cryptoUnits);
    if (!agree(Decimal.of(is.cryptoUnits), units, relative.times(units.abs())))
      found.push(changedCrypto(was, is, relative, before()));
  }
}

/** Amounts of two currencies have no difference, only two values. */
function changedFiat(was: RecordState, is: RecordState, before: Before): RuleFinding {
  const [then, now] = [was.fiatValue, is.fiatValue];
  const finding =
    was.fiatCurrency === is.fiatCurrency
      ? changedFigure('fiat_value', 'fiat value', then, now, is.fiatCurrency, before)
      : null;
  if (finding !== null) return { ...finding, loss: lossByFiat(is.kind, now.minus(then)) };
  const [thenText, nowText] = [showMoney(then, was.fiatCurrency), showMoney(now, is.fiatCurrency)];
  return {
    field: 'fiat_value',
    expected: then.toString(),
    actual: now.toString(),
    explanation: `The fiat value was ${thenText} ${before} and is ${nowText} now.`,
  };
}

/** At the record's own rate; null where it has none. */
function lossAtRate({ kind, exchangeRate, fiatCurrency }: RecordState, difference: Decimal): Decimal | null {
  return exchangeRate === null ? null : lossByCrypto(kind, difference, exchangeRate, fiatCurrency);
}

/** In whole tokens of the asset, as units of two assets cannot be added; two assets have no difference, only two values. */
function changedCrypto(was: RecordState, is: RecordState, relative: Decimal, before: Before): RuleFinding {
  const [tokensThen, tokensNow] = [tokensOf(was), tokensOf(is)];
  const [then, now] = figuresApart(tokensThen, tokensNow);
  const compared = sameAsset(was.asset, is.asset)
    ? {
        difference: tokensNow.minus(tokensThen),
        unit: 'crypto' as const,
        loss: lossAtRate(is, tokensNow.minus(tokensThen)),
        currency: assetIdentifier(is.asset),
        tolerance: relative.times(tokensThen.abs()),
      }
    : {};
  return {
    field: 'crypto_amount',
    expected: tokensThen.toString(),
    actual: tokensNow.toString(),
    ...compared,
    explanation:
      `The crypto amount was ${then} ${assetIdentifier(was.asset)} ${before} ` +
      `and is ${now} ${assetIdentifier(is.asset)} now.`,
  };
}
