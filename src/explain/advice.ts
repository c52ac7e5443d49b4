/** What to do about a break, and what ends it, by rule. The finance guide says the same at more length. */

export interface Advice {
  /** What whoever looks after it does next. */
  action: string;
  /** What makes the break resolve by itself on a later night. */
  settledBy: string;
}

const VERIFIED_AGAIN = 'A night on which the Service answers with the record again.';
const RIGHTED =
  'A night on which the record, as the Service has it, agrees again; or a waiver for this very difference.';
const KEPT =
  'A night on which the Service gives back what was there before; otherwise a waiver, with the reason agreed.';

const ADVICE: ReadonlyMap<string, Advice> = new Map([
  [
    'RECORD_MISSING',
    {
      action:
        'Ask the Service for the record by its id and creation time; look in the application whether the user was served.',
      settledBy: VERIFIED_AGAIN,
    },
  ],
  [
    'ACCESS_DENIED',
    {
      action: 'Look for the view token in the created event of this record and import the id again with it.',
      settledBy: VERIFIED_AGAIN,
    },
  ],
  [
    'RECORD_ID_MISMATCH',
    {
      action: 'Report it to the Service at once as a possible leak; check the application for swapped ids or tokens.',
      settledBy: 'A night on which the body that comes back is of the id that was asked for.',
    },
  ],
  [
    'TRACKING_CONFLICT',
    {
      action: 'Find out in the application which of the tokens or kinds is right, and how the other one came about.',
      settledBy: 'Nothing by itself: the claims stay on record. Waive it once the right one is known.',
    },
  ],
  [
    'SCHEMA_DRIFT',
    {
      action: 'Hand it to an engineer with the field it names: the Service has changed what it sends.',
      settledBy: 'A night on which the body can be read again, because the Service or Tieout has changed.',
    },
  ],
  [
    'STATUS_UNKNOWN',
    {
      action: 'Ask the Service what the status means and give it a place in the status model of the settings.',
      settledBy: 'The status model knowing the status, or the record moving on to one that it knows.',
    },
  ],
  [
    'STATUS_REGRESSED',
    {
      action: 'Ask the Service why the record fell back; hold payouts and postings that rested on the earlier status.',
      settledBy: 'The record coming forward again to the furthest status it was seen in.',
    },
  ],
  [
    'STATUS_STUCK',
    {
      action: 'Ask the Service where the money is, before the user does.',
      settledBy: 'The record leaving its status.',
    },
  ],
  [
    'STATUS_CONFLICT',
    {
      action: 'Compare what the application did with what the record says; correct the one that is behind.',
      settledBy: 'The record reaching the status, or the application sending another expectation with the id.',
    },
  ],
  [
    'RELEASED_WITHOUT_TX',
    {
      action: 'Ask the Service for the transaction hash, and look at the receiver address on the chain.',
      settledBy: 'The record carrying a transaction hash.',
    },
  ],
  [
    'RESTATED',
    {
      action: 'Book the difference in the open period and ask the Service why a finished record was changed.',
      settledBy: KEPT,
    },
  ],
  [
    'FIELD_CHANGED',
    {
      action: 'Ask the Service who changed it and why; for an address or an amount treat it as possible fraud.',
      settledBy: KEPT,
    },
  ],
  [
    'QUOTE_MISSING',
    {
      action: 'Import the quote that the user was shown, or find out why the application stored none.',
      settledBy: 'A quote that belongs to the record being imported before a night that looks at it.',
    },
  ],
  [
    'QUOTE_TERMS_DIFFER',
    {
      action: 'Check in the application which quote this user was shown, and why another one was linked.',
      settledBy: 'Nothing by itself: the first link is kept. Waive it once the quote of this user is known.',
    },
  ],
  [
    'AMOUNT_DIFFERS',
    {
      action: 'Ask whether the user changed the amount after the quote; if not, claim the difference from the Service.',
      settledBy: RIGHTED,
    },
  ],
  [
    'FEE_APPLIED_DIFFERS',
    {
      action: 'Claim the difference from the Service, or refund the user; the parts say which fee it is in.',
      settledBy: RIGHTED,
    },
  ],
  [
    'FEE_BASE_DIFFERS',
    { action: 'Ask the Service which price list it used; claim the difference.', settledBy: RIGHTED },
  ],
  [
    'FEE_NETWORK_DIFFERS',
    {
      action: 'Ask the Service for the network fee that it paid; a pass-through cost should be what was quoted.',
      settledBy: RIGHTED,
    },
  ],
  [
    'FEE_OUT_OF_BOUNDS',
    {
      action: 'Claim what lies above the published maximum, with the date of the published terms.',
      settledBy: RIGHTED,
    },
  ],
  [
    'AMOUNT_OUT_OF_LIMITS',
    {
      action: 'Ask the Service whether it will carry the record out; expect a return or a review.',
      settledBy: RIGHTED,
    },
  ],
  [
    'METHOD_UNSUPPORTED',
    {
      action: 'Ask the Service whether the payment was taken by this method; expect a return.',
      settledBy: 'The record naming a method that was supported then; otherwise a waiver.',
    },
  ],
  [
    'TOTAL_NOT_FOOTING',
    {
      action: 'Ask the Service for the parts of the total: some of it is unaccounted for.',
      settledBy: RIGHTED,
    },
  ],
  [
    'RATE_OUT_OF_LINE',
    {
      action: 'Compare with a market price of that hour; claim the difference where the rate was wrong.',
      settledBy: RIGHTED,
    },
  ],
]);

const GENERAL: Advice = {
  action: 'Look at what was expected and what was found, and decide whether to acknowledge, assign or waive it.',
  settledBy: RIGHTED,
};

/** A rule without advice of its own gets general advice. */
export function adviceFor(rule: string): Advice {
  return ADVICE.get(rule) ?? GENERAL;
}

/** The rules that have advice of their own. */
export const ADVISED: readonly string[] = [...ADVICE.keys()];
