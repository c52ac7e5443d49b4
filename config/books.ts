/** The settings of the journal: accounts, and what single accounting programs need. */
import { oneOf, optional, text, wholeNumber } from './readers.ts';
import { section, setting } from './setting.ts';

/** Which texts an accounting program takes is checked where its file is written. */
const account = optional(text('an account as the accounting program has it', /^[^\p{Cc}]{1,200}$/u));
const accountSetting = (about: string) => setting(null, account, about);

export const books = section('The journal for an accounting program (`tieout journal`).', {
  revenueMonth: setting(
    'released',
    oneOf(['released', 'created']),
    'The month to which the host share of a record belongs, in accruals, journals and packs (`tieout revenue`, `tieout payouts match`, `tieout ' +
      'journal`): the month of its release, when it is earned, or the month of its creation.',
  ),
  estimate: setting(
    'off',
    oneOf(['off', 'method-rate']),
    'Released records whose share is stated nowhere: counted and named only (off), or also estimated by the share that their own method had ' +
      'in the 90 days before (method-rate). Estimates are listed apart, are in no total, and end once the share is known.',
  ),
  entryPrefix: setting(
    'TO-',
    text('at most four letters, digits and hyphens', /^[A-Za-z0-9-]{1,4}$/),
    'The start of each entry number. With four characters a number stays within the 21 that QuickBooks takes.',
  ),
  accounts: section(
    'Accounts of your chart; none uses an example account of the accounting program. Xero needs codes, DATEV numbers, ' +
      'QuickBooks names as Parent:Sub, Beancount and hledger names as Assets:Receivable:Host-Fee.',
    {
      hostFeeReceivable: accountSetting('The accrued host share, which the Service owes you.'),
      hostFeeRevenue: accountSetting('Your revenue from the host share.'),
      userFees: accountSetting('Statistical: base fees that users paid to the Service.'),
      networkFees: accountSetting('Statistical: network fees that users paid.'),
      feeAdjustments: accountSetting('Statistical: discounts and other adjustments of fees.'),
      serviceClearing: accountSetting('Statistical: the other side of those three.'),
    },
  ),
  xero: section('Xero.', {
    taxRate: setting(
      'Tax Exempt',
      text('the full name of a tax rate', /^[^\p{Cc}]{1,100}$/u),
      'The name of the tax rate for these lines, exactly as your tax settings in Xero have it.',
    ),
  }),
  netsuite: section('NetSuite.', {
    dateFormat: setting(
      'MM/DD/YYYY',
      oneOf(['MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY-MM-DD']),
      'Dates as the preferences of the user who imports have them.',
    ),
  }),
  datev: section('DATEV.', {
    consultant: setting('1001', wholeNumber(1001, 9_999_999), 'Number of the tax consultant (Berater).'),
    client: setting('1', wholeNumber(1, 99_999), 'Number of the client (Mandant).'),
    accountLength: setting('4', wholeNumber(4, 8), 'Digits of a general ledger account (Sachkontenlänge).'),
    fiscalYearStart: setting(
      '01-01',
      text('month and day, as 01-01', /^(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/),
      'The first day of the fiscal year (WJ-Beginn), as MM-DD.',
    ),
  }),
});
