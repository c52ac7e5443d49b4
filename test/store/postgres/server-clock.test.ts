import { describe, expect, it } from 'vitest';
import { type KnownOffset, narrow } from '../../../src/store/shared-bookings.ts';

/**
 * A reading of a server that is `ahead` of us, asked at `before`, answered after `took`; its clock was read at `at` of
 * that.
 */
function reading(before: number, took: number, ahead: number, at = took / 2) {
  return { server: before + at + ahead, before, after: before + took };
}

function all(...readings: ReturnType<typeof reading>[]): KnownOffset | null {
  let known: KnownOffset | null = null;
  for (const each of readings) {
    known = narrow(known, each);
    if (known === null) return null;
  }
  return known;
}

describe('the offset of the server’s clock', () => {
  it('lies between what asking and answering allow', () => {
    expect(narrow(null, reading(1_000, 40, 5_000, 10))).toEqual({ low: 4_970, high: 5_010, at: 1_040 });
  });

  it('is known better by every quick answer, and no worse by a slow one', () => {
    const known = all(reading(0, 40, 5_000), reading(100, 2, 5_000), reading(200, 300, 5_000));
    expect(known?.low).toBeGreaterThan(4_998);
    expect(known?.high).toBeLessThan(5_002);
  });

  it('always has the truth in it', () => {
    const known = all(reading(0, 40, 5_000, 0), reading(100, 40, 5_000, 40), reading(200, 40, 5_000, 17));
    expect(known?.low).toBeLessThanOrEqual(5_000);
    expect(known?.high).toBeGreaterThanOrEqual(5_000);
  });

  it('may change by the drift of the clocks since the last reading', () => {
    // Half a part in a thousand over an hour.
    expect(all(reading(0, 2, 5_000), reading(3_600_000, 2, 5_000 + 1_800))).not.toBeNull();
  });

  it.each([3_600_000, 1_000, 100, -100, -3_600_000])(
    'that has changed by %d ms at once says that a clock was moved',
    (by) => {
      expect(all(reading(0, 2, 5_000), reading(1_000, 2, 5_000 + by))).toBeNull();
    },
  );
});
