/** Whether a word of the Service speaks of a payment or of a release. */
import { PAID, RELEASED, RELEASING } from '../service/profile.ts';
import type { Kind } from './record.ts';

/** The price of a purchase is fixed from then on. */
export function saysPaid(status: string): boolean {
  return PAID.has(status);
}

export function saysReleased(status: string): boolean {
  return RELEASED.has(status);
}

/**
 * Money has moved for good: what journals and accruals add up, and what is at stake. A sale without any status is one of the
 * specification's own shape (§2.8): a record of what was paid out.
 */
export function hasReleased({ kind, status }: { kind: Kind; status: string | null }): boolean {
  return status === null ? kind === 'sale' : RELEASED.has(status);
}

export function saysReleasing(status: string): boolean {
  return RELEASING.has(status);
}

/** True for equal statuses, and for two words of one release. */
export function sameStatus(a: string, b: string): boolean {
  return a === b || (RELEASED.has(a) && RELEASED.has(b));
}
