import { describe, expect, it } from 'vitest';
import type { RecordState } from '../../src/domain/snapshot.ts';
import type { Projection } from '../../src/ports/store/store.ts';
import { advance } from '../../src/reconcile/advance.ts';
import { aPurchase, aSale, at, DAYS, STATUSES, UNSEEN } from '../support/builders.ts';

/** The known facts after these statuses, one a day from 20 November on. */
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

  it('stays where one terminal status became another, and later bodies are compared with the first one', () => {
    expect(after('RELEASED', 'CANCELLED').terminalDate).toBe('2026-11-20');
    expect(after('RELEASED', 'FIAT_RETURNED', 'RELEASED').terminalSnapshot).toBe(0);
  });

  it('is at once there for a sale whose body has no status', () => {
    const { projection } = advance(UNSEEN, aSale({ status: null }), STATUSES, at('2026-11-20 04:15'), '2026-11-20');
    expect(projection.terminalDate).toBe('2026-11-20');
  });
});

describe('the end of a purchase that was paid', () => {
  const END = at('2026-11-20 04:15');
  const PAID = { status: 'FIAT_RECEIVED', statusSince: END - DAYS, peakStatus: 'FIAT_RECEIVED', peakAt: END - DAYS };
  /** One body at each of these days after the end; the last one counts. */
  const ended = (known: Partial<Projection>, state: Partial<RecordState>, ...days: number[]) =>
    days.reduce<Projection>(
      (before, day) => {
        const seenAt = END + day * DAYS;
        const body = { ...aPurchase({ status: 'EXPIRED', updatedAt: END, finalTxHash: null }), ...state };
        const { projection } = advance(before, body, STATUSES, seenAt, new Date(seenAt).toISOString().slice(0, 10));
        return { ...projection, firstSnapshot: 1, terminalSnapshot: 1, lastSnapshot: 1 };
      },
      { ...UNSEEN, ...known },
    );

  it('is looked for every night until its refund is late', () => {
    // Ten working days later is 4 December, in some time zone the day after.
    expect(ended(PAID, {}, 0, 1, 9, 13).terminalDate).toBeNull();
    expect(ended(PAID, {}, 0, 1, 9, 13, 15, 16).terminalDate).toBe('2026-12-06');
  });

  it.each<[string, Partial<Projection>, Partial<RecordState>]>([
    ['it was not paid', {}, {}],
    ['its money came back', PAID, { returnedAt: END }],
    ['it was released', PAID, { status: 'RELEASED', finalTxHash: '0xab' }],
  ])('is an end like any other where %s', (_, known, state) => {
    expect(ended(known, state, 0).terminalDate).toBe('2026-11-20');
    expect(ended(known, state, 0, 1).terminalDate).toBe('2026-11-20');
  });

  it('may be known from its list of moments alone', () => {
    expect(ended({}, { paidAt: END - DAYS }, 0, 1).terminalDate).toBeNull();
  });
});

describe('the end of a bank transfer', () => {
  const expiring = (mayBecome: readonly string[]) => {
    const end = { value: 'EXPIRED', stage: 7, terminal: true, stuckAfter: null, mayReturnTo: null, mayBecome };
    return { ...STATUSES, purchase: new Map([...STATUSES.purchase, ['EXPIRED', end]]) };
  };
  const seenAt = at('2026-11-20 04:15');
  const expired = { status: 'EXPIRED', paymentMethod: 'MANUAL_BANK_TRANSFER', finalTxHash: null };

  it.each<[string, number, number | null, number | null]>([
    ['when the night sees it, a day after its end', 1, 1, 1],
    ['thirteen days later', 13, 13, 13],
    ['by the end time, where the last change was that of the creation', 13, 13, 18],
    ['by the last change, where there is no end time', 13, null, 13],
    ['by the night, where the body has neither', 0, null, null],
  ])('is left open for fourteen days: %s', (_, days, endTime, updatedAt) => {
    const ago = (n: number | null, more: number) => (n === null ? null : seenAt - (n + more) * DAYS);
    const dateAfter = (more: number) => {
      const body = { ...aPurchase(expired), endTime: ago(endTime, more), updatedAt: ago(updatedAt, more) };
      const known = days === 0 ? { status: 'EXPIRED', statusSince: seenAt - more * DAYS } : {};
      return advance({ ...UNSEEN, ...known }, body, expiring(['FIAT_RECEIVED']), seenAt, '2026-11-20').projection
        .terminalDate;
    };
    expect([dateAfter(0), dateAfter(20)]).toEqual([null, '2026-11-20']);
  });

  it('is left open for a late payment only where the model lets one follow', () => {
    const ended = (mayBecome: readonly string[]) => {
      const body = aPurchase({ ...expired, updatedAt: seenAt });
      return advance(UNSEEN, body, expiring(mayBecome), seenAt, '2026-11-20').projection.terminalDate;
    };
    expect([ended(['RELEASED', 'FIAT_RECEIVED']), ended(['RELEASED']), ended([])]).toEqual([
      null,
      '2026-11-20',
      '2026-11-20',
    ]);
  });
});

const LATER = at('2026-11-20 04:15');

/** The known facts after one more purchase body. */
const seen = (known: Partial<Projection>, status: string | null, date = '2026-11-20') =>
  advance({ ...UNSEEN, ...known }, aPurchase({ status }), STATUSES, LATER, date);

const RECEIVED: Partial<Projection> = {
  status: 'FIAT_RECEIVED',
  statusSince: at('2026-11-18 04:15'),
  peakStatus: 'FIAT_RECEIVED',
  peakAt: at('2026-11-18 04:15'),
  firstSnapshot: 5,
  lastSnapshot: 6,
  lastVerifiedAt: at('2026-11-19 04:15'),
  lastVerifiedDate: '2026-11-19',
};

describe('a snapshot', () => {
  it('that is the first one is where everything begins', () => {
    expect(seen({}, 'FIAT_RECEIVED')).toEqual({
      projection: {
        status: 'FIAT_RECEIVED',
        statusSince: LATER,
        peakStatus: 'FIAT_RECEIVED',
        peakAt: LATER,
        terminalDate: null,
        firstSnapshot: 'this',
        terminalSnapshot: null,
        lastVerifiedAt: LATER,
        lastVerifiedDate: '2026-11-20',
      },
      statusChange: null,
    });
  });

  it('that says the same again moves nothing but the time of the last look', () => {
    expect(seen(RECEIVED, 'FIAT_RECEIVED')).toEqual({
      projection: {
        status: 'FIAT_RECEIVED',
        statusSince: at('2026-11-18 04:15'),
        peakStatus: 'FIAT_RECEIVED',
        peakAt: at('2026-11-18 04:15'),
        terminalDate: null,
        firstSnapshot: 5,
        terminalSnapshot: null,
        lastVerifiedAt: LATER,
        lastVerifiedDate: '2026-11-20',
      },
      statusChange: null,
    });
  });

  it.each([
    ['RELEASED', true],
    ['PAYMENT_STARTED', false],
    // Its position is unknown, so it cannot be wrong.
    ['FIAT_RETURNED', true],
  ])('with another status is a change, from when to when: to %s, legal %s', (status, legal) => {
    const { projection, statusChange } = seen(RECEIVED, status);
    expect(statusChange).toEqual({
      from: 'FIAT_RECEIVED',
      fromSeenAt: at('2026-11-18 04:15'),
      to: status,
      legal,
    });
    expect(projection.statusSince).toBe(LATER);
  });

  it('out of its end to a status that the model does not know is not legal: STATUS_REGRESSED says the same', () => {
    expect(seen({ ...RECEIVED, status: 'RELEASED' }, 'FIAT_RETURNED').statusChange).toMatchObject({ legal: false });
  });

  it.each([
    ['had none before', { ...RECEIVED, status: null }, 'RELEASED'],
    ['has none now', RECEIVED, null],
    ['was never looked at before', {}, 'RELEASED'],
    ['was in its status since an unknown time', { ...RECEIVED, statusSince: null }, 'RELEASED'],
  ])('reports no change where the record %s', (_, known, status) => {
    expect(seen(known, status).statusChange).toBeNull();
  });

  it.each([
    [null, '2026-11-20'],
    ['2026-11-19', '2026-11-20'],
    ['2026-11-20', '2026-11-20'],
    // A night run late, for a date before the last one.
    ['2026-11-23', '2026-11-23'],
  ])('of the night of 2026-11-20, after one of %s: last verified for %s', (lastVerifiedDate, expected) => {
    expect(seen({ ...RECEIVED, lastVerifiedDate }, 'RELEASED').projection.lastVerifiedDate).toBe(expected);
  });

  it('of a purchase without a status is not its end', () => {
    expect(seen(RECEIVED, null).projection).toMatchObject({ status: null, terminalDate: null, terminalSnapshot: null });
  });
});

describe('the furthest status', () => {
  it.each([
    ['goes up', 'FIAT_RECEIVED', 'RELEASING', 'RELEASING'],
    ['does not fall with a record that went back', 'FIAT_RECEIVED', 'PAYMENT_STARTED', 'FIAT_RECEIVED'],
    ['stays for an unknown status', 'FIAT_RECEIVED', 'FIAT_RETURNED', 'FIAT_RECEIVED'],
    ['stays where the body has none', 'FIAT_RECEIVED', null, 'FIAT_RECEIVED'],
    ['falls with a failed payment that is tried again', 'PAYMENT_FAILED', 'PAYMENT_STARTED', 'PAYMENT_STARTED'],
    ['is none while only unknown words came', null, 'FIAT_RETURNED', null],
    ['stays at the end', 'RELEASED', 'CANCELLED', 'RELEASED'],
  ])('%s', (_, peakStatus, status, expected) => {
    const known = { ...RECEIVED, peakStatus, peakAt: peakStatus === null ? null : at('2026-11-18 04:15') };
    const { projection } = seen(known, status);
    expect(projection.peakStatus).toBe(expected);
    expect(projection.peakAt).toBe(expected === peakStatus ? known.peakAt : LATER);
  });
});
