/** Whether a word of the Service speaks of a payment or of a release. */
import { PAID, RELEASED, RELEASING } from '../service/profile.ts';

/** The price of a purchase is fixed from then on. */
export function saysPaid(status: string): boolean {
  return PAID.has(status);
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
