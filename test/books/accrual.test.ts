import { expect, test } from 'vitest';
import { accrue } from '../../src/books/accrual.ts';
import type { KnownRecord, LatestScope } from '../../src/ports/store/store.ts';
import { aPurchase, at, someTolerances } from '../support/builders.ts';

test('a share is earned in the month that the record is counted to, in the business time zone', async () => {
  const asked: LatestScope[] = [];
  // Half past midnight of 1 November by the Service; the application's date is the evening before.
  const state = aPurchase({ status: 'RELEASED', createdAt: at('2026-10-31 23:30'), hostFeeCut: '6.66' });
  const countedAt = at('2026-10-31 22:30');
  const record: KnownRecord = {
    kind: 'purchase',
    recordId: state.recordId,
    hostReference: null,
    lastVerifiedAt: null,
    toldCreatedAt: countedAt,
    countedAt,
    state,
  };
  const store = {
    tracked: {
      latest: async (scope: LatestScope) => {
        asked.push(scope);
        return [record];
      },
    },
  };
  const settings = { timezone: 'Europe/Warsaw', tolerances: someTolerances() };
  const accrual = await accrue({ store, settings }, { kind: null, from: '2026-10-01', to: '2026-11-01' });
  expect(accrual.rows()).toMatchObject([{ month: '2026-10' }]);
  expect(asked).toMatchObject([{ createdFrom: at('2026-09-30 22:00'), createdTo: at('2026-10-31 23:00') }]);
});
