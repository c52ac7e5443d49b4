/** Every rule, in the order in which findings are reported. A new rule is one file and one line here. */
import { amountDiffers } from './amount-differs.ts';
import { amountOutOfLimits } from './amount-out-of-limits.ts';
import { assetNotAvailable } from './asset-not-available.ts';
import { dateImplausible } from './date-implausible.ts';
import { DELIVERY_RULES } from './deliveries.ts';
import { feeAppliedDiffers } from './fee-applied-differs.ts';
import { feeBaseDiffers } from './fee-base-differs.ts';
import { feeDiffersFromContract } from './fee-differs-from-contract.ts';
import { feeNetworkDiffers } from './fee-network-differs.ts';
import { feeOutOfBounds } from './fee-out-of-bounds.ts';
import { fieldChanged } from './field-changed.ts';
import { methodUnsupported } from './method-unsupported.ts';
import { PAYOUT_RULES } from './payouts.ts';
import { quoteMissing } from './quote-missing.ts';
import { quoteTermsDiffer } from './quote-terms-differ.ts';
import { quotesNotCaptured } from './quotes-not-captured.ts';
import { rateOutOfLine } from './rate-out-of-line.ts';
import { recordContradictsItself } from './record-contradicts-itself.ts';
import { recordIdMismatch } from './record-id-mismatch.ts';
import { refundDue } from './refund-due.ts';
import { accessDenied, recordMissing } from './refused.ts';
import { releasedWithoutTx } from './released-without-tx.ts';
import { restated } from './restated.ts';
import type { Rule } from './rule.ts';
import { schemaDrift } from './schema-drift.ts';
import { chargedDiffersFromShown, shownDiffersFromQuote } from './shown-amounts.ts';
import { slippage } from './slippage.ts';
import { slippageOneSided } from './slippage-one-sided.ts';
import { statusConflict } from './status-conflict.ts';
import { statusRegressed } from './status-regressed.ts';
import { statusStuck } from './status-stuck.ts';
import { statusUnknown } from './status-unknown.ts';
import { totalNotFooting } from './total-not-footing.ts';
import { trackingConflict } from './tracking-conflict.ts';
import { txReused } from './tx-reused.ts';

const rules: Rule[] = [
  recordMissing,
  accessDenied,
  recordIdMismatch,
  trackingConflict,
  schemaDrift,
  dateImplausible,
  statusUnknown,
  statusRegressed,
  statusStuck,
  statusConflict,
  releasedWithoutTx,
  refundDue,
  restated,
  fieldChanged,
  quoteMissing,
  quotesNotCaptured,
  quoteTermsDiffer,
  amountDiffers,
  slippage,
  feeAppliedDiffers,
  feeBaseDiffers,
  feeNetworkDiffers,
  feeOutOfBounds,
  amountOutOfLimits,
  methodUnsupported,
  assetNotAvailable,
  recordContradictsItself,
  txReused,
  totalNotFooting,
  rateOutOfLine,
  slippageOneSided,
  // What others than the Service say.
  ...DELIVERY_RULES,
  shownDiffersFromQuote,
  chargedDiffersFromShown,
  feeDiffersFromContract,
  ...PAYOUT_RULES,
];

const OWN = rules.length;

/** In the order in which findings are reported; those of plugins come last. */
export const RULES: readonly Rule[] = rules;

/** Without those of plugins. */
export const ownRules = (): readonly Rule[] => rules.slice(0, OWN);

/** Of all plugins in use; see `plugin-rules.ts`. */
export function replacePluginRules(added: readonly Rule[]): void {
  rules.splice(OWN, Number.POSITIVE_INFINITY, ...added);
}
