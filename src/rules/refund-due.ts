import { assetIdentifier } from '../domain/asset.ts';
import { partsOfRecord, tokensOf } from '../domain/fee-parts.ts';
import { refundOf } from '../domain/money-moved.ts';
import { showInstant } from '../domain/record.ts';
import { REFUND_WORKING_DAYS } from '../service/profile.ts';
import { bodyRule } from './rule.ts';
import { showDay, showFigure, showSize } from './wording.ts';
import { fact, plainOutcome, wordsOnly } from './working.ts';

export const refundDue = bodyRule({
  code: 'REFUND_DUE',
  severity: 'high',
  proof: 'payment',
  title: 'Paid, ended without a delivery, and not refunded',
  why: 'The user has neither the crypto nor the money, and has lost the whole amount.',
  action: 'Ask the Service for the refund and its date; the user will ask you.',
  settledBy: 'A night on which the record is released, or a webhook or its status says that the money was returned.',
  example:
    'Paid (FIAT_RECEIVED on 2026-10-02 09:14 UTC), and EXPIRED since 2026-10-05 without a delivery: 250.00 EUR were to be returned by 2026-10-19, and no return was seen.',
  note: `Due ${REFUND_WORKING_DAYS} working days after the end; until then it is information, and the amount counts as pending, not as a loss.`,
  check(state, input) {
    const refund = refundOf(input, input.terms);
    if (refund === null) return null;
    const { paid, endedAt, dueAt } = refund;
    const isLate = input.terms.asOf > dueAt;
    const isPurchase = state.kind === 'purchase';
    const asset = assetIdentifier(state.asset);
    const owed = isPurchase ? state.fiatValue : tokensOf(state);
    const owedText = isPurchase ? showSize(owed, state.fiatCurrency) : `${showFigure(owed)} ${asset}`;
    return {
      ...(isLate ? {} : { severity: 'info' as const }),
      field: isPurchase ? 'fiat_refund' : 'crypto_refund',
      expected: owed.toString(),
      actual: null,
      unit: isPurchase ? 'money' : 'crypto',
      // Of a sale, what the tokens were worth by the record itself.
      loss: isPurchase ? owed : (partsOfRecord(state).cv ?? state.fiatValue),
      currency: isPurchase ? state.fiatCurrency : asset,
      explanation:
        `${isPurchase ? 'Paid' : 'The tokens were sent'} (${paid.sign}${paid.at === null ? '' : ` on ${showInstant(paid.at)}`}), ` +
        `and ${state.status} since ${showDay(endedAt)} without a ${isPurchase ? 'delivery' : 'payout'}: ` +
        `${owedText} ${isLate ? 'were' : 'are'} to be returned by ${showDay(dueAt)}, and no return was seen${isLate ? '' : ' yet'}.`,
    };
  },
  working(state, input) {
    const refund = refundOf(input, input.terms);
    if (refund === null) return null;
    const { paid, endedAt, dueAt } = refund;
    const isLate = input.terms.asOf > dueAt;
    return wordsOnly([
      fact('sign of the payment', paid.sign),
      fact('ended as', `${state.status}, ${showInstant(endedAt)}`),
      fact('due by', `${showInstant(dueAt)} (${REFUND_WORKING_DAYS} working days)`),
      fact('judged at', showInstant(input.terms.asOf)),
      plainOutcome(`${showInstant(input.terms.asOf)} ${isLate ? '>' : '≤'} ${showInstant(dueAt)}`, isLate),
    ]);
  },
});
