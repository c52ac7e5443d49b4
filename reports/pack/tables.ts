/** The tables of a month-end pack. */

import type { Decimal } from '../../src/domain/decimal.ts';
import type { BridgeStep, MovementRow, NamedRecord, SignOff } from '../../src/ports/period.ts';
import type { PrintedColumns, ReportDefinition } from '../../src/ports/report-definition.ts';
import { columnsOf } from '../define.ts';

const inMovement = columnsOf<MovementRow>('currency');

type Part = keyof Omit<MovementRow, 'rule' | 'currency'>;

const counts = (part: Part, column: string, description: string) =>
  inMovement.count(`${column}_count`, (row) => row[part].count, { description });

const [OPENING, NEW, WAIVED, CLOSING] = ['opening', 'new', 'waived', 'closing'].map(
  (column) => `${column}_money_at_stake`,
) as [string, string, string, string];
/** Each step of the row is what it changes as printed, from the opening to the closing balance. */
const STEPS: Readonly<Partial<Record<Part, { of: PrintedColumns; without: readonly PrintedColumns[] }>>> = {
  fresh: { of: [OPENING, NEW], without: [OPENING] },
  resolved: { of: [OPENING, NEW], without: [[CLOSING, WAIVED]] },
  waived: { of: [CLOSING, WAIVED], without: [CLOSING] },
};

const money = (part: Part, column: string, description: string) =>
  inMovement.amount(`${column}_money_at_stake`, (row) => (row.currency === null ? null : row[part].money), {
    description,
    sign: 'plus: the user paid too much or got too little',
    empty: 'the record was never read, so that its currency is unknown',
    ...(STEPS[part] === undefined ? {} : { rest: STEPS[part] }),
  });

export const movement: ReportDefinition<MovementRow> = {
  name: 'movement',
  description: 'Open breaks from the close before to this one: opening + new − resolved − waived = closing',
  columns: [
    // A text and no id: workbooks put ids last, and this names the row.
    inMovement.text('rule', (row) => row.rule, 'break code'),
    inMovement.text('currency', (row) => row.currency, {
      description: 'currency of the records',
      unit: 'ISO code',
      empty: 'the record was never read',
    }),
    counts('opening', 'opening', 'open breaks as the close before left them'),
    counts('fresh', 'new', 'opened or came back since'),
    counts('resolved', 'resolved', 'resolved since'),
    counts('waived', 'waived', 'accepted by a person since'),
    counts('closing', 'closing', 'open at this close'),
    money('opening', 'opening', 'money at stake of the opening breaks'),
    money('fresh', 'new', 'money at stake of the new breaks, and by how much that of standing ones has changed'),
    money('resolved', 'resolved', 'money at stake of the resolved breaks'),
    money('waived', 'waived', 'money at stake of the waived breaks'),
    money('closing', 'closing', 'money at stake of the breaks that are open at this close'),
  ],
};

const inSignOff = columnsOf<SignOff>('currency');

export const signOff: ReportDefinition<SignOff> = {
  name: 'sign_offs',
  description: 'Who closed, accepted and reviewed the month, and who stated deltas',
  columns: [
    inSignOff.text('what', ({ what }) => what, 'what was signed off'),
    inSignOff.text('by', ({ by }) => by, { description: 'who did it', empty: 'it has not been done' }),
    inSignOff.instant('at', ({ at }) => at, {
      description: 'when',
      unit: 'UTC',
      empty: 'it has not been done',
    }),
    inSignOff.text('detail', ({ detail }) => detail, {
      description: 'the reason that was given, or the sealed set',
      empty: 'there is none',
    }),
    inSignOff.id('manifest_sha256', ({ manifestSha256 }) => manifestSha256, {
      description: 'hash of the manifest of the sealed set',
      empty: 'it is about no set',
    }),
  ],
};

interface JournalLine {
  entry: string;
  date: string;
  account: string;
  currency: string;
  debit: Decimal | null;
  credit: Decimal | null;
  memo: string;
}

const inJournal = columnsOf<JournalLine>('currency');

export const journal: ReportDefinition<JournalLine> = {
  name: 'journal',
  description: 'The journal of the month, as `tieout journal --period` writes it',
  columns: [
    inJournal.text('entry', ({ entry }) => entry, 'entry number'),
    inJournal.date('date', ({ date }) => date, 'date of the entry'),
    inJournal.text('account', ({ account }) => account, 'account of the settings'),
    inJournal.text('currency', ({ currency }) => currency, { description: 'currency', unit: 'ISO code' }),
    inJournal.amount('debit', ({ debit }) => debit, {
      description: 'debit',
      empty: 'it is a credit',
    }),
    inJournal.amount('credit', ({ credit }) => credit, {
      description: 'credit',
      empty: 'it is a debit',
    }),
    inJournal.text('memo', ({ memo }) => memo, 'what it is'),
  ],
};

const inBridge = columnsOf<BridgeStep>('currency');

export const hostBridge: ReportDefinition<BridgeStep> = {
  name: 'host_bridge',
  description: 'The host share from what all records state to what is expected and booked',
  columns: [
    inBridge.text('currency', ({ currency }) => currency, { description: 'currency', unit: 'ISO code' }),
    inBridge.text('step', ({ step }) => step, 'the step'),
    inBridge.count('record_count', ({ records }) => records, {
      description: 'records in it',
      empty: 'it is not about records',
    }),
    inBridge.amount('amount', ({ amount }) => amount, {
      description: 'the amount of the step',
      empty: 'no record says anything',
      // Steps lead from one figure to the next: their sum counts each several times.
      isCheckOnly: true,
      rest: { of: 'total_after', without: ['total_before'] },
    }),
    inBridge.text('explanation', ({ explanation }) => explanation, 'what the step is'),
    inBridge.amount('total_before', ({ totals }) => totals.before, {
      description: 'what the steps before it have come to',
      empty: 'the step is a sum, or a part of the one before it',
      isCheckOnly: true,
    }),
    inBridge.amount('total_after', ({ totals }) => totals.after, {
      description: '`total_before` + `amount`; of a sum the amount',
      empty: 'the step is a part of the one before it, or its amount is not known',
      isCheckOnly: true,
    }),
  ],
};

const inUnverified = columnsOf<NamedRecord>('currency');

export const notVerified: ReportDefinition<NamedRecord> = {
  name: 'not_verified',
  description: 'Records of the month that were never looked at, could not be verified, or had not come to their end',
  columns: [
    inUnverified.text('kind', ({ kind }) => kind, '`purchase` or `sale`'),
    inUnverified.id('record_id', ({ recordId }) => recordId, 'the record'),
    inUnverified.id('host_reference', ({ hostReference }) => hostReference, {
      description: 'your own reference',
      empty: 'none was given',
    }),
    inUnverified.text('verdict', ({ verdict }) => verdict, 'verdict at the close'),
    inUnverified.text('why', ({ why }) => why, 'how the last look at it ended'),
    inUnverified.id('last_look', ({ lastLookRun }) => lastLookRun, {
      description: 'the run that looked last',
      empty: 'no run ever looked',
    }),
  ],
};
