/**
 * The words in which bodies, events and applications speak of a release. A purchase says RELEASING and RELEASED; a sale
 * may say the same, or only how its payout stands (`fiat.status`), which is another vocabulary for the same thing.
 */

const RELEASED: ReadonlySet<string> = new Set(['RELEASED', 'completed']);

/** The release has begun: a RELEASED event, or the application's word of it, may be ahead of such a record. */
const RELEASING: ReadonlySet<string> = new Set(['RELEASING', 'initiated', 'delayed']);

/** The payment has arrived: from then on the price of a purchase is fixed. */
export function saysPaid(status: string): boolean {
  return status === 'PAYMENT_EXECUTED' || status === 'FIAT_RECEIVED';
}

export function saysReleased(status: string): boolean {
  return RELEASED.has(status);
}

/** Money has moved for good: what journals and accruals add up. A record without a status may still be on its way. */
export function hasReleased({ status }: { status: string | null }): boolean {
  return status !== null && RELEASED.has(status);
}

export function saysReleasing(status: string): boolean {
  return RELEASING.has(status);
}

/** True for equal statuses, and for two words of one release. */
export function sameStatus(a: string, b: string): boolean {
  return a === b || (RELEASED.has(a) && RELEASED.has(b));
}
