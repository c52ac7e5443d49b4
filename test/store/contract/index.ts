/** The contract of a store as one suite, to be run against every engine. */
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import { compareDecimalsByValue } from '../support/decimal-equality.ts';
import type { OpenedStore, TestEngine } from '../support/engines.ts';
import { bookingsContract } from './bookings.ts';
import { breaksContract } from './breaks.ts';
import { casesContract } from './cases.ts';
import { correctionsContract } from './corrections.ts';
import { deliveriesContract } from './deliveries.ts';
import { dueContract } from './due.ts';
import { cardDueContract, dueRuleContract } from './due-rule.ts';
import { evidenceContract } from './evidence.ts';
import { historyContract } from './history.ts';
import { itemsContract } from './items.ts';
import { leasesContract } from './leases.ts';
import { peopleContract } from './people.ts';
import { periodsContract } from './periods.ts';
import { planContract } from './plan.ts';
import { publicationsContract } from './publications.ts';
import { quotesContract } from './quotes.ts';
import { referenceContract } from './reference.ts';
import { runsContract } from './runs.ts';
import { standingContract } from './standing.ts';
import { trackedContract } from './tracked.ts';
import { upkeepContract } from './upkeep.ts';
import { workListContract } from './work-list.ts';
import { wrongClockContract } from './wrong-clock.ts';

export function describeStore({ name, open, close }: TestEngine): void {
  compareDecimalsByValue();
  describe(name, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened[Symbol.asyncDispose]();
    });
    afterAll(close);
    const store = () => opened.store;
    describe('tracked', () => trackedContract(store));
    describe('corrections', () => correctionsContract(store));
    describe('quotes', () => quotesContract(store));
    describe('reference', () => referenceContract(store));
    describe('leases', () => leasesContract(store));
    describe('publications', () => publicationsContract(store));
    describe('runs', () => runsContract(store));
    describe('plan', () => planContract(store));
    describe('due', () => dueContract(store));
    describe('due rule', () => dueRuleContract(() => opened));
    describe('card purchases', () => cardDueContract(() => opened));
    describe('items', () => itemsContract(store));
    describe('cases', () => casesContract(store));
    describe('history', () => historyContract(store));
    describe('deliveries', () => deliveriesContract(store));
    describe('evidence', () => evidenceContract(store));
    describe('breaks', () => breaksContract(store));
    describe('work list', () => workListContract(store));
    describe('people', () => peopleContract(store));
    describe('standing', () => standingContract(store));
    describe('periods', () => periodsContract(store));
    describe('bookings', () => bookingsContract(store));
    describe('upkeep', () => upkeepContract(() => opened));
    describe('a wrong clock', () => wrongClockContract(() => opened));
  });
}
