/** Who works out which rule, line by line. */
import { amountDiffers, amountOutOfLimits, feeOutOfBounds, rateOutOfLine, totalNotFooting } from './amounts.ts';
import { recordIdMismatch, refusedAnswer, releasedWithoutTx, schemaDrift, trackingConflict } from './answers.ts';
import { fieldChanged, restated } from './changes.ts';
import { appliedFee, baseFee, networkFee } from './fees.ts';
import type { Worker } from './lines.ts';
import { methodUnsupported, quoteMissing, quoteTermsDiffer } from './quotes.ts';
import { statusConflict, statusRegressed, statusStuck, statusUnknown } from './statuses.ts';

/** By rule code. A rule that has none here is told by what its finding says. */
export const WORKERS: ReadonlyMap<string, Worker> = new Map([
  ['RECORD_MISSING', refusedAnswer],
  ['ACCESS_DENIED', refusedAnswer],
  ['RECORD_ID_MISMATCH', recordIdMismatch],
  ['TRACKING_CONFLICT', trackingConflict],
  ['SCHEMA_DRIFT', schemaDrift],
  ['STATUS_UNKNOWN', statusUnknown],
  ['STATUS_REGRESSED', statusRegressed],
  ['STATUS_STUCK', statusStuck],
  ['STATUS_CONFLICT', statusConflict],
  ['RELEASED_WITHOUT_TX', releasedWithoutTx],
  ['RESTATED', restated],
  ['FIELD_CHANGED', fieldChanged],
  ['QUOTE_MISSING', quoteMissing],
  ['QUOTE_TERMS_DIFFER', quoteTermsDiffer],
  ['AMOUNT_DIFFERS', amountDiffers],
  ['FEE_APPLIED_DIFFERS', appliedFee],
  ['FEE_BASE_DIFFERS', baseFee],
  ['FEE_NETWORK_DIFFERS', networkFee],
  ['FEE_OUT_OF_BOUNDS', feeOutOfBounds],
  ['AMOUNT_OUT_OF_LIMITS', amountOutOfLimits],
  ['METHOD_UNSUPPORTED', methodUnsupported],
  ['TOTAL_NOT_FOOTING', totalNotFooting],
  ['RATE_OUT_OF_LINE', rateOutOfLine],
]);
