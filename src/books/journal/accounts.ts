/** Which account of which accounting program each line goes to: the defaults of a program, and what it accepts as an account. */
import { UsageError } from '../../domain/errors.ts';
import { ROLES, type Role } from './entries.ts';

export const JOURNAL_FORMATS = ['generic', 'xero', 'quickbooks', 'netsuite', 'datev', 'beancount', 'hledger'] as const;
export type JournalFormat = (typeof JOURNAL_FORMATS)[number];

/** The account of each role, as the accounting program names it (`journal.accounts` in the settings). */
export type Chart = Readonly<Record<Role, string>>;

/** Null or absent takes the default of the program. */
export type ChosenAccounts = Readonly<Partial<Record<Role, string | null>>>;

const NAMES: Chart = {
  hostFeeReceivable: 'Host fee receivable',
  hostFeeRevenue: 'Host fee revenue',
  userFees: 'User fees (base)',
  networkFees: 'User fees (network)',
  feeAdjustments: 'User fees (adjustments)',
  serviceClearing: 'Service clearing',
};

const NESTED: Chart = {
  hostFeeReceivable: 'Assets:Receivable:Host-Fee',
  hostFeeRevenue: 'Income:Host-Fee',
  userFees: 'Equity:Statistical:User-Fees:Base',
  networkFees: 'Equity:Statistical:User-Fees:Network',
  feeAdjustments: 'Equity:Statistical:User-Fees:Adjustments',
  serviceClearing: 'Equity:Statistical:Service-Clearing',
};

/** Account numbers are examples: no two companies have the same chart. */
const DEFAULTS: Readonly<Record<JournalFormat, Chart>> = {
  generic: NAMES,
  netsuite: NAMES,
  quickbooks: {
    hostFeeReceivable: 'Other receivables:Host fee receivable',
    hostFeeRevenue: 'Other income:Host fee revenue',
    userFees: 'Statistical:User fees (base)',
    networkFees: 'Statistical:User fees (network)',
    feeAdjustments: 'Statistical:User fees (adjustments)',
    serviceClearing: 'Statistical:Service clearing',
  },
  xero: {
    hostFeeReceivable: '615',
    hostFeeRevenue: '215',
    userFees: '991',
    networkFees: '992',
    feeAdjustments: '993',
    serviceClearing: '999',
  },
  datev: {
    hostFeeReceivable: '1500',
    hostFeeRevenue: '8510',
    userFees: '9801',
    networkFees: '9802',
    feeAdjustments: '9803',
    serviceClearing: '9809',
  },
  beancount: NESTED,
  hledger: NESTED,
};

const ACCEPTED: Readonly<Record<JournalFormat, { pattern: RegExp; inWords: string }>> = {
  generic: { pattern: /^[^\r\n]{1,200}$/, inWords: 'a text of at most 200 characters' },
  netsuite: {
    pattern: /^(?! )[^\r\n]{1,200}(?<! )$/,
    inWords: 'an account name or number as NetSuite has it, without blanks at its ends',
  },
  quickbooks: {
    pattern: /^(?![ :])(?:[^":\r\n]{1,100})(?::[^":\r\n]{1,100}){0,4}$/,
    inWords: 'a name, or Parent:Sub with at most five levels, without quotation marks',
  },
  xero: { pattern: /^[A-Za-z0-9.\-/]{1,10}$/, inWords: 'an account code of at most 10 letters and digits, not a name' },
  datev: { pattern: /^(?!0+$)\d{1,9}$/, inWords: 'an account number of 1 to 9 digits' },
  beancount: {
    pattern: /^(?:Assets|Liabilities|Equity|Income|Expenses)(?::[A-Z0-9][A-Za-z0-9-]*)+$/,
    inWords:
      'Assets, Liabilities, Equity, Income or Expenses, then parts that begin with a capital or a digit: Assets:Host-Fee',
  },
  hledger: {
    pattern: /^[^ \t\r\n;]+(?: [^ \t\r\n;]+)*$/,
    inWords: 'an account without two blanks in a row and without a semicolon',
  },
};

/**
 * The accounts of the settings where they are given, else the defaults of the program.
 * @throws UsageError that names every account which the program would refuse
 */
export function chartFor(format: JournalFormat, chosen: ChosenAccounts): Chart {
  const chart = Object.fromEntries(ROLES.map((role) => [role, chosen[role] ?? DEFAULTS[format][role]])) as Chart;
  const { pattern, inWords } = ACCEPTED[format];
  const wrong = ROLES.filter((role) => !pattern.test(chart[role]));
  if (wrong.length > 0) {
    const named = wrong.map((role) => `books.accounts.${role} is ${JSON.stringify(chart[role])}`).join(', ');
    throw new UsageError(`${named}: ${format} needs ${inWords}`, {
      remedy: 'correct books.accounts in the settings, or the file of --accounts',
    });
  }
  return chart;
}
