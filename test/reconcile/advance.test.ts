import { describe, expect, it } from 'vitest';
import { advance } from '../../src/reconcile/advance.ts';
import type { Projection } from '../../src/store/contract.ts';
import { aPurchase, aSale, at, STATUSES } from '../support/builders.ts';

const UNSEEN: Projection = {
  status: null,
  statusSince: null,
  peakStatus: null,
  peakAt: null,
  terminalDate: null,
  firstSnapshot: null,
  terminalSnapshot: null,
  lastSnapshot: null,
  lastVerifiedAt: null,
  lastVerifiedDate: null,
};

/** What is known after these statuses were seen, a day each from 20 November on. */
function after(...statuses: string[]): Projection {
  return statuses.reduce((before, status, n): Projection => {
    const date = `2026-11-${20 + n}`;
    const { projection } = advance(before, aPurchase({ status }), STATUSES, at(`${date} 04:15`), date);
    const keyOf = (known: number | 'this' | null) => (known === 'this' ? n : known);
    const { firstSnapshot, terminalSnapshot } = projection;
    return {
      ...projection,
      firstSnapshot: keyOf(firstSnapshot),
      terminalSnapshot: keyOf(terminalSnapshot),
      lastSnapshot: n,
    };
  }, UNSEEN);
}

describe('the date of the end, from which the later looks are counted', () => {
  it('is the night that first saw it', () => {
    expect(after('PAYMENT_STARTED').terminalDate).toBeNull();
    expect(after('PAYMENT_STARTED', 'RELEASED').terminalDate).toBe('2026-11-21');
    expect(after('RELEASED', 'RELEASED', 'RELEASED').terminalDate).toBe('2026-11-20');
  });

  it('is gone once the record has left its end, and another one when it ends again', () => {
    expect(after('RELEASED', 'FIAT_RETURNED').terminalDate).toBeNull();
    expect(after('RELEASED', 'FIAT_RETURNED', 'RELEASED').terminalDate).toBe('2026-11-22');
  });

  it('stays where one end became another, and what is compared with later stays the first one', () => {
    expect(after('RELEASED', 'CANCELLED').terminalDate).toBe('2026-11-20');
    expect(after('RELEASED', 'FIAT_RETURNED', 'RELEASED').terminalSnapshot).toBe(0);
  });

  it('is at once there for a sale whose body has no status', () => {
    const { projection } = advance(UNSEEN, aSale({ status: null }), STATUSES, at('2026-11-20 04:15'), '2026-11-20');
    expect(projection.terminalDate).toBe('2026-11-20');
  });
});
