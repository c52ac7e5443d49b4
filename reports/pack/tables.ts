/** The tables of a month-end pack. */

import type { Decimal } from '../../src/domain/decimal.ts';
import type { Column, ReportDefinition } from '../../src/ports/report-definition.ts';

/** As `MovementRow` of src/periods has it. */
interface MovementLine {
  rule: string;
  currency: string | null;
  opening: { count: number; money: Decimal };
  fresh: { count: number; money: Decimal };
  resolved: { count: number; money: Decimal };
  waived: { count: number; money: Decimal };
  closing: { count: number; money: Decimal };
}

const counts = (
  name: keyof Omit<MovementLine, 'rule' | 'currency'>,
  column: string,
  description: string,
): Column<MovementLine> => ({
  name: `${column}_count`,
  type: 'count',
  description,
  value: (row) => row[name].count,
});

const money = (
  name: keyof Omit<MovementLine, 'rule' | 'currency'>,
  column: string,
  description: string,
): Column<MovementLine> => ({
  name: `${column}_money_at_stake`,
  type: 'amount',
  description,
  currencyColumn: 'currency',
  sign: 'plus: the user paid too much or got too little',
  empty: 'the record was never read, so that its currency is unknown',
  value: (row) => (row.currency === null ? null : row[name].money),
});

export const movement: ReportDefinition<MovementLine> = {
  name: 'movement',
  file: 'movement.csv',
  description: 'Open breaks from the close before to this one: opening + new − resolved − waived = closing',
  columns: [
    // A text and no id: workbooks put ids last, and this names the row.
    { name: 'rule', type: 'text', description: 'break code', value: (row) => row.rule },
    {
      name: 'currency',
      type: 'text',
      description: 'currency of the records',
      unit: 'ISO code',
      empty: 'the record was never read',
      value: (row) => row.currency,
    },
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

interface SignOffLine {
  what: string;
  by: string | null;
  at: number | null;
  detail: string | null;
  manifestSha256: string | null;
}

export const signOff: ReportDefinition<SignOffLine> = {
  name: 'sign_offs',
  file: 'sign_offs.csv',
  description: 'Who closed, accepted and reviewed the month, and who stated deltas',
  columns: [
    { name: 'what', type: 'text', description: 'what was signed off', value: ({ what }) => what },
    { name: 'by', type: 'text', description: 'who did it', empty: 'it has not been done', value: ({ by }) => by },
    {
      name: 'at',
      type: 'instant',
      description: 'when',
      unit: 'UTC',
      empty: 'it has not been done',
      value: ({ at }) => at,
    },
    {
      name: 'detail',
      type: 'text',
      description: 'the reason that was given, or the sealed set',
      empty: 'there is none',
      value: ({ detail }) => detail,
    },
    {
      name: 'manifest_sha256',
      type: 'id',
      description: 'hash of the manifest of the sealed set',
      empty: 'it is about no set',
      value: ({ manifestSha256 }) => manifestSha256,
    },
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

export const journal: ReportDefinition<JournalLine> = {
  name: 'journal',
  file: 'journal.csv',
  description: 'The journal of the month, as `tieout journal --period` writes it',
  columns: [
    { name: 'entry', type: 'text', description: 'entry number', value: ({ entry }) => entry },
    { name: 'date', type: 'date', description: 'date of the entry', value: ({ date }) => date },
    { name: 'account', type: 'text', description: 'account of the settings', value: ({ account }) => account },
    { name: 'currency', type: 'text', description: 'currency', unit: 'ISO code', value: ({ currency }) => currency },
    {
      name: 'debit',
      type: 'amount',
      description: 'debit',
      empty: 'it is a credit',
      currencyColumn: 'currency',
      value: ({ debit }) => debit,
    },
    {
      name: 'credit',
      type: 'amount',
      description: 'credit',
      empty: 'it is a debit',
      currencyColumn: 'currency',
      value: ({ credit }) => credit,
    },
    { name: 'memo', type: 'text', description: 'what it is', value: ({ memo }) => memo },
  ],
};

interface BridgeLine {
  currency: string;
  step: string;
  records: number | null;
  amount: Decimal | null;
  explanation: string;
}

export const hostBridge: ReportDefinition<BridgeLine> = {
  name: 'host_bridge',
  file: 'host_bridge.csv',
  description: 'The host share from what all records state to what is expected and booked',
  columns: [
    { name: 'currency', type: 'text', description: 'currency', unit: 'ISO code', value: ({ currency }) => currency },
    { name: 'step', type: 'text', description: 'the step', value: ({ step }) => step },
    {
      name: 'record_count',
      type: 'count',
      description: 'records in it',
      empty: 'it is not about records',
      value: ({ records }) => records,
    },
    {
      name: 'amount',
      type: 'amount',
      description: 'the amount of the step',
      currencyColumn: 'currency',
      empty: 'no record says anything',
      // Steps lead from one figure to the next: their sum counts each several times.
      isCheckOnly: true,
      value: ({ amount }) => amount,
    },
    { name: 'explanation', type: 'text', description: 'what the step is', value: ({ explanation }) => explanation },
  ],
};

interface UnverifiedLine {
  kind: string;
  recordId: string;
  hostReference: string | null;
  verdict: string;
  why: string;
  lastLookRun: string | null;
}

export const notVerified: ReportDefinition<UnverifiedLine> = {
  name: 'not_verified',
  file: 'not_verified.csv',
  description: 'Records of the month that were never looked at, could not be verified, or had not come to their end',
  columns: [
    { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ kind }) => kind },
    { name: 'record_id', type: 'id', description: 'the record', value: ({ recordId }) => recordId },
    {
      name: 'host_reference',
      type: 'id',
      description: 'your own reference',
      empty: 'none was given',
      value: ({ hostReference }) => hostReference,
    },
    { name: 'verdict', type: 'text', description: 'verdict at the close', value: ({ verdict }) => verdict },
    { name: 'why', type: 'text', description: 'how the last look at it ended', value: ({ why }) => why },
    {
      name: 'last_look',
      type: 'id',
      description: 'the run that looked last',
      empty: 'no run ever looked',
      value: ({ lastLookRun }) => lastLookRun,
    },
  ],
};
