/**
 * What of a record can be claimed, and from whom. The money belongs to the record: once it is claimed or waived, no other break of the
 * record brings it up again. Only what evidence proves is claimed: never what the app itself showed wrongly. Pure.
 */
import { isOpen } from '../domain/break.ts';
import type { ClaimItem } from '../domain/claim.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, minDecimal } from '../domain/decimal.ts';
import { AMOUNT_RULE, FEE_RULES, TOTAL_RULE } from '../domain/rule-codes.ts';
import { inPlacesOf, lossOf } from '../domain/stake.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { RULES } from '../rules/index.ts';

/** The evidence that each rule's amount rests on; a rule without one proves nothing against the Service. */
const PROOFS: ReadonlyMap<string, string> = new Map(
  RULES.flatMap(({ code, proof }) => (proof === undefined ? [] : [[code, proof] as const])),
);

/** Why a break cannot be claimed, in words. */
export interface Refusal {
  /** Without the break, to count by. */
  why: string;
  inFull: string;
}

/** One break to be claimed, with every break of its record and the claims that those are in. */
export interface Claiming {
  chosen: CurrentBreak;
  record: readonly CurrentBreak[];
  taken: ReadonlyMap<string, string>;
}

type Answer = { items: readonly ClaimItem[]; breaks: readonly CurrentBreak[] } | Refusal;

/** The items of a claim, one for each part of the loss, with the breaks that go into it, or why there is none. */
export function claimOf({ chosen, record, taken }: Claiming): Answer {
  const short = chosen.breakId.slice(0, 12);
  const named = `${chosen.kind} ${chosen.recordId}`;
  const refused = (why: string, inFull: string): Refusal => ({ why, inFull });
  for (const { breakId } of record) {
    const other = taken.get(breakId);
    if (other === undefined) continue;
    const what = breakId === chosen.breakId ? `break ${short}` : `the money of break ${short}`;
    return refused('its record is in another claim already', `${what} (${named}) is in ${other} already`);
  }
  const loss = lossOf(record);
  if (chosen.moneyMoved === 'no')
    return refused('no money has moved', `break ${short} has no money to claim: ${named} ended or stands unpaid`);
  if (chosen.moneyMoved === 'pending')
    return refused('its money has not moved yet', `the money of break ${short} is pending: ${named} is not finished`);
  if (chosen.moneyMoved === 'unknown')
    return refused(
      'it is unknown whether money moved',
      `break ${short}: it is unknown whether the money of ${named} moved`,
    );
  if (loss === null || loss.leading.recordCurrency === null)
    return refused('no money is at stake', `break ${short} (${chosen.rule}) has no money at stake to claim`);
  const { leading, amount } = loss;
  if (leading.state === 'waived')
    return refused(
      'the money of its record is waived',
      `the money of break ${short} (${named}) was waived${leading.waiver === null ? '' : ` by ${leading.waiver.author}`}${leading.breakId === chosen.breakId ? '; reopen it first' : ` with break ${leading.breakId.slice(0, 12)}; reopen that one first`}`,
    );
  if (amount.isNegative)
    return refused(
      'what differs is to the Service’s loss, not to the user’s',
      `what differs in break ${short} (${chosen.rule}) is to the Service’s loss, so there is nothing to claim from it`,
    );
  const proven = provenOf(record, loss);
  if (proven === null) return unproven(short, leading.rule, record);
  if (chosen.breakId !== leading.breakId && chosen.breakId !== proven.standing.breakId) {
    if (chosen.leadingBreakId === null)
      return refused('no money is at stake', `break ${short} (${chosen.rule}) has no money at stake to claim`);
    return refused(
      'its money is on another break of the same record',
      `the money of break ${short} is on break ${leading.breakId.slice(0, 12)} of the same record; claim that one`,
    );
  }
  const currency = leading.recordCurrency ?? '';
  const rounded = (amount: Decimal) => amount.rounded(minorUnitDigits(currency) ?? 2);
  const items: ClaimItem[] = [];
  // The first takes what is left of the rounded sum.
  let claimed = rounded(proven.amount);
  for (const { leading: each, amount: part } of proven.parts.slice(1)) {
    items.push({ breakId: each.breakId, currency, claimed: rounded(part), recovered: Decimal.ZERO });
    claimed = claimed.minus(rounded(part));
  }
  items.unshift({ breakId: proven.standing.breakId, currency, claimed, recovered: Decimal.ZERO });
  const put = new Set([leading.breakId, ...items.map(({ breakId }) => breakId)]);
  return { items, breaks: record.filter(({ breakId }) => put.has(breakId)) };
}

type Loss = NonNullable<ReturnType<typeof lossOf<CurrentBreak>>>;

type Part = Loss['parts'][number];

interface Proven extends Pick<Loss, 'amount' | 'parts'> {
  standing: CurrentBreak;
}

/** What evidence proves of a record's loss: at most the loss. */
function provenOf(record: readonly CurrentBreak[], { amount, parts }: Loss): Proven | null {
  const proving = record.filter(({ rule, state }) => isOpen(state) && PROOFS.has(rule));
  const [first, ...others] = parts.flatMap((part) =>
    PROOFS.has(part.leading.rule) ? part : provenRest(proving, part),
  );
  if (first !== undefined) {
    const sum = others.reduce((total, part) => total.plus(part.amount), first.amount);
    return { standing: first.leading, amount: sum, parts: [first, ...others] };
  }
  const other = lossOf(proving);
  if (other !== null)
    return isGain(other.amount)
      ? null
      : { standing: other.leading, amount: minDecimal(other.amount, amount), parts: [] };
  // Against a fee that the app showed, the quote measures no loss of its own; its difference still proves what was above the quote.
  const fee = proving.find(({ rule }) => rule === FEE_RULES.applied);
  if (fee?.difference == null || isGain(fee.difference)) return null;
  return { standing: fee, amount: minDecimal(fee.difference, amount), parts: [] };
}

/** A body that contradicts itself proves nothing against the Service; the quote proves what fee and price do not explain of its tokens. */
function provenRest(proving: readonly CurrentBreak[], { leading, amount }: Part): readonly Part[] {
  const isRest = leading.rule === TOTAL_RULE;
  const rest = isRest ? lossOf(proving.filter(({ rule }) => rule === AMOUNT_RULE)) : null;
  if (rest === null || isGain(rest.amount)) return [];
  // What it proves is a price times tokens, to the minor unit: no further digits of the part are in doubt.
  const isWhole = !rest.size.lessThan(inPlacesOf(amount, leading.recordCurrency ?? ''));
  return [{ leading: rest.leading, amount: isWhole ? amount : rest.amount }];
}

const isGain = (amount: Decimal) => !amount.isPositive;

function unproven(short: string, rule: string, record: readonly CurrentBreak[]): Refusal {
  const isOwn = record.some((each) => each.rule === 'SHOWN_DIFFERS_FROM_QUOTE' && each.state !== 'resolved');
  return isOwn
    ? {
        why: 'the app showed another price than the quote (SHOWN_DIFFERS_FROM_QUOTE): the host owes it, not the Service',
        inFull:
          `break ${short} (${rule}) is the app's own mistake: it showed another price than the quote ` +
          '(SHOWN_DIFFERS_FROM_QUOTE), and what was charged agrees with the quote. The host owes it to the user, not the Service',
      }
    : {
        why: 'no quote and no published bound proves it',
        inFull: `no quote and no published bound proves the money of break ${short} (${rule}) against the Service`,
      };
}
