/**
 * What is this Service's own: its words for how far a record is, and what they say of money. Every room may import this file, which
 * imports nothing; for a second provider it is the first to be replaced (docs/decisions/0034-what-is-the-services-own.md).
 *
 * The specification publishes no status but INITIALIZED (§3); the other values are those seen in the field.
 */

interface Meaning {
  moved: 'yes' | 'no' | 'pending';
  /** Source of the meaning. */
  because: string;
}

const OPEN =
  'The user has not paid yet (spec §3: the first status is INITIALIZED; the others before a payment: field facts).';
const PAYMENT_ARRIVED = 'The payment has arrived, the crypto is not delivered yet (field facts, statuses on the way).';
const ENDED =
  'It ended without a delivery (field facts, terminal statuses): no money unless a payment or a transaction shows.';
const DONE = 'Paid and delivered (field facts, terminal statuses).';
const SALE_OPEN = "The payout has not ended (field facts, a sale's `fiat.status`).";
const SALE_ENDED = 'It ended without a payout (field facts): no money unless the tokens were sent.';

const meaning = (moved: Meaning['moved'], because: string, ...statuses: readonly string[]) =>
  statuses.map((status) => [status, { moved, because }] as const);

/** Whether a record's money has moved, by kind and status. */
export const MONEY_BY_STATUS: Readonly<Record<'purchase' | 'sale', ReadonlyMap<string, Meaning>>> = {
  purchase: new Map([
    ...meaning('no', OPEN, 'INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_FAILED', 'PAYMENT_IN_PROGRESS'),
    ...meaning('pending', PAYMENT_ARRIVED, 'PAYMENT_EXECUTED', 'FIAT_SENT', 'FIAT_RECEIVED', 'RELEASING'),
    ...meaning('no', ENDED, 'EXPIRED', 'CANCELLED'),
    ...meaning('yes', DONE, 'RELEASED'),
  ]),
  sale: new Map([
    ...meaning('pending', SALE_OPEN, 'CREATED', 'not-started', 'initiated', 'delayed', 'RELEASING'),
    ...meaning('no', SALE_ENDED, 'EXPIRED', 'failed'),
    ...meaning('yes', DONE, 'completed', 'RELEASED'),
  ]),
};

/** Before the user has done anything. */
export const FIRST_STATUS = 'INITIALIZED';
/** Events that report a creation; '' is a bare body, which may be of any time: the record's own creation decides. */
export const CREATION_EVENTS: readonly string[] = ['CREATED', 'PURCHASE_CREATED', 'OFFRAMP_SALE_CREATED', ''];
/** The payment has arrived: from then on the price of a purchase is fixed. */
export const PAID: ReadonlySet<string> = new Set(['PAYMENT_EXECUTED', 'FIAT_RECEIVED']);
/** Only these show that a sale's tokens came: one that waits for them is on its way too. */
export const PAYOUT_BEGUN: ReadonlySet<string> = new Set(['initiated', 'delayed']);
/** The release has begun: a RELEASED event, or the application's word of it, may be ahead of such a record. */
export const RELEASING: ReadonlySet<string> = new Set(['RELEASING', ...PAYOUT_BEGUN]);
/**
 * A purchase says RELEASING and RELEASED; a sale may say the same, or only how its payout stands (`fiat.status`), which is another
 * vocabulary for the same thing.
 */
export const RELEASED: ReadonlySet<string> = new Set(['RELEASED', 'completed']);
/** The price of such a body is fixed. FIAT_SENT may be the sending bank's word alone. */
export const PRICED: ReadonlySet<string> = new Set([...PAID, ...RELEASING, ...RELEASED]);
/** Their money may arrive days after the order has expired. */
export const BANK_TRANSFERS: ReadonlySet<string> = new Set(['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER']);
/** Of a bank transfer the word of the sending bank alone: the money arrives later. */
export const EXECUTED_BY_BANK = 'PAYMENT_EXECUTED';
/** The purchase or sale ended unpaid. */
export const ENDED_UNPAID: ReadonlySet<string> = new Set(['EXPIRED', 'CANCELLED']);
/** Statuses and events that say that the user's money, or tokens, came back. */
export const RETURNED: ReadonlySet<string> = new Set(['FIAT_RETURNED', 'RETURNED']);

/** A payment that was not accepted ends so. */
const REFUSED = ['FIAT_RETURNED', 'REVIEW_REJECTED', 'RETURNED'];
/** What was paid before the end comes back: the refund that is expected of such a record, seen. */
const REFUNDED = [...RETURNED];

/** Bank and card refunds take up to so many working days (field facts). */
export const REFUND_WORKING_DAYS = 10;

/** The webhook that announces a status; most have none, and EXPIRED has one for sales only. */
export function webhookOf(kind: 'purchase' | 'sale', status: string): string | null {
  if (RELEASED.has(status)) return 'RELEASED';
  return kind === 'sale' && status === 'EXPIRED' ? 'EXPIRED' : null;
}

/** A row as it would be written in the settings. */
type Written = Readonly<Record<string, string | string[] | Record<string, string>>>;

/** Manual bank transfers take two to three working days, from some banks six to eight; every other method minutes to a day. */
const PAYING = { default: '5wd', MANUAL_BANK_TRANSFER: '8wd' };

/** What spec §3 leaves open, as the setting `statuses` spells it. A record may not move to a lower stage. */
export const PURCHASE_STATUSES: readonly Written[] = [
  { value: 'INITIALIZED', stage: '0', terminal: 'false', stuckAfter: 'endTime+24h' },
  { value: 'PAYMENT_STARTED', stage: '1', terminal: 'false', stuckAfter: PAYING },
  // The last payment failed; the user may start another, which is not a step back.
  { value: 'PAYMENT_FAILED', stage: '1', terminal: 'false', stuckAfter: PAYING, mayReturnTo: '1' },
  { value: 'PAYMENT_IN_PROGRESS', stage: '2', terminal: 'false', stuckAfter: PAYING, mayReturnTo: '1' },
  // Before the money is there, or when it is looked at: nothing says which, so that it may follow and precede both.
  { value: 'FIAT_PENDING', stage: '5', terminal: 'false', stuckAfter: PAYING, mayReturnTo: '1' },
  { value: 'PAYMENT_EXECUTED', stage: '3', terminal: 'false', stuckAfter: PAYING },
  { value: 'FIAT_SENT', stage: '4', terminal: 'false', stuckAfter: PAYING },
  { value: 'FIAT_RECEIVED', stage: '5', terminal: 'false', stuckAfter: '3wd' },
  { value: 'RELEASING', stage: '6', terminal: 'false', stuckAfter: '24h' },
  { value: 'RELEASED', stage: '7', terminal: 'true' },
  // Payments that arrive late are processed by hand, or returned within the same night.
  {
    value: 'EXPIRED',
    stage: '7',
    terminal: 'true',
    mayBecome: ['FIAT_PENDING', 'FIAT_RECEIVED', 'RELEASING', 'RELEASED', ...REFUSED],
  },
  { value: 'CANCELLED', stage: '7', terminal: 'true', mayBecome: REFUNDED },
  { value: 'FIAT_RETURNED', stage: '7', terminal: 'true' },
  { value: 'REVIEW_REJECTED', stage: '7', terminal: 'true', mayBecome: REFUNDED },
  { value: 'RETURNED', stage: '7', terminal: 'true' },
];

/** The status of a sale may come from its body, its payout (`fiat.status`) or an event: three vocabularies in one model. */
export const SALE_STATUSES: readonly Written[] = [
  { value: 'CREATED', stage: '0', terminal: 'false', stuckAfter: '5wd' },
  { value: 'not-started', stage: '0', terminal: 'false', stuckAfter: '5wd' },
  { value: 'initiated', stage: '1', terminal: 'false', stuckAfter: '3wd' },
  { value: 'FIAT_PENDING', stage: '1', terminal: 'false', stuckAfter: '3wd' },
  { value: 'delayed', stage: '1', terminal: 'false', stuckAfter: '5wd' },
  { value: 'failed', stage: '1', terminal: 'false', stuckAfter: '5wd', mayReturnTo: '0' },
  { value: 'completed', stage: '3', terminal: 'true' },
  { value: 'RELEASED', stage: '3', terminal: 'true' },
  // Tokens that arrive late are paid out by hand, or returned.
  {
    value: 'EXPIRED',
    stage: '3',
    terminal: 'true',
    mayBecome: ['initiated', 'FIAT_PENDING', 'delayed', 'failed', 'completed', 'RELEASED', ...REFUSED],
  },
  { value: 'FIAT_RETURNED', stage: '3', terminal: 'true' },
  { value: 'REVIEW_REJECTED', stage: '3', terminal: 'true', mayBecome: REFUNDED },
  { value: 'RETURNED', stage: '3', terminal: 'true' },
];

/** As the setting `renamedAssets` spells it. */
export const RENAMED_ASSETS = [{ chain: 'MATIC', was: 'MATIC', now: 'POL', since: '2024-09-04' }];

const CARDS = ['CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'];

/** The highest fees by method, as a deployment publishes them in its help pages. */
export const FEE_CEILINGS: readonly Written[] = [
  { methods: CARDS, currencies: ['EUR', 'GBP', 'USD'], percent: '3.9', from: '2020-01-01' },
  { methods: CARDS, percent: '5.45', from: '2020-01-01' },
  { methods: ['PIX'], percent: '2.9', from: '2020-01-01' },
  { methods: ['AUTO_BANK_TRANSFER'], percent: '2.4', from: '2020-01-01' },
  { methods: ['MANUAL_BANK_TRANSFER'], percent: '1.4', from: '2020-01-01' },
];
