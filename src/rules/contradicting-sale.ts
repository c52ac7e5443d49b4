/** A sale whose tokens, payout and fee contradict each other (RECORD_CONTRADICTS_ITSELF). */
import { minorUnit, showMoney } from '../domain/currency.ts';
import { hasReleased, saysReleased, saysReleasing } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { type Check, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';

/** How a transfer of tokens stands that has not brought any. */
const NOT_SENT: ReadonlySet<string> = new Set(['not-started', 'failed']);

function tokensNeverCame({ kind, status, cryptoStatus = '' }: RecordState): RuleFinding | null {
  if (kind === 'purchase' || status === null || !hasReleased({ kind, status }) || !NOT_SENT.has(cryptoStatus))
    return null;
  return plainFinding(
    'crypto_status',
    cryptoStatus,
    `The sale is ${status}, but the transfer of its crypto is ${cryptoStatus}: it was paid out for tokens that never came.`,
  );
}

/** A fee in the crypto is only another way to say it; so is one in EUR where the body has its price in EUR. */
function feeInAnotherCurrency({ kind, fiatCurrency, feeCurrency, exchangeRateEur }: RecordState): RuleFinding | null {
  if (feeCurrency === undefined || minorUnit(feeCurrency) === undefined) return null;
  if (feeCurrency === 'EUR' && exchangeRateEur !== null) return null;
  return plainFinding(
    'fee_currency',
    feeCurrency,
    `The ${kind} pays out in ${fiatCurrency}, but states its fee in ${feeCurrency}: the fee cannot be compared with anything.`,
    fiatCurrency,
  );
}

/** A transfer that failed has a transaction as well. */
function hashWithoutTransfer({ kind, cryptoStatus, finalTxHash }: RecordState): RuleFinding | null {
  if (kind === 'purchase' || finalTxHash === null || cryptoStatus !== 'not-started') return null;
  return plainFinding(
    'crypto_status',
    cryptoStatus,
    `The sale names the transaction ${finalTxHash}, but the transfer of its crypto is ${cryptoStatus}.`,
  );
}

/** The status and the payout's own; one that is under way may be behind the other, whichever it is. */
function payoutAgainstStatus(state: RecordState, { terms }: RuleInput): RuleFinding | null {
  const { kind, status, payoutStatus } = state;
  if (kind === 'purchase' || status === null || payoutStatus === undefined) return null;
  const mayBeBehind = saysReleasing(status) || !terms.statuses.sale.has(status);
  const isContradiction = saysReleased(status)
    ? NOT_SENT.has(payoutStatus)
    : saysReleased(payoutStatus) && !mayBeBehind;
  if (!isContradiction) return null;
  return plainFinding('payout_status', payoutStatus, `The sale is ${status}, but its payout is ${payoutStatus}.`);
}

/** A purchase without tokens does not foot; most sales name no rate to foot with. */
function paidForNothing({ kind, cryptoUnits, fiatValue, fiatCurrency }: RecordState): RuleFinding | null {
  if (kind === 'purchase' || cryptoUnits !== 0n || !fiatValue.isPositive) return null;
  return plainFinding(
    'crypto_amount',
    '0',
    `The sale pays out ${showMoney(fiatValue, fiatCurrency)}, but it is for no crypto at all.`,
  );
}

export const SALES: readonly Check[] = [
  tokensNeverCame,
  hashWithoutTransfer,
  payoutAgainstStatus,
  feeInAnotherCurrency,
  paidForNothing,
];
