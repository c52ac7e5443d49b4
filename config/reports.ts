/** Settings of the reports of a run. */
import { path } from './connections.ts';
import { filledList, oneOf, optional, text } from './readers.ts';
import { section, setting } from './setting.ts';

export const REPORT_FORMATS = ['csv', 'xlsx', 'html', 'json'] as const;
const REPORT_PROFILES = ['standard', 'excel', 'excel-eu', 'google-sheets'] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const reports = section('The reports of a run.', {
  formats: setting(['csv'], filledList(oneOf(REPORT_FORMATS)), 'The formats that a run publishes.'),
  profile: setting(
    'standard',
    oneOf(REPORT_PROFILES),
    'Dialect of CSV files: excel adds a byte order mark and CRLF, excel-eu also semicolons and decimal commas.',
  ),
  decimals: setting(
    'by-profile',
    oneOf(['by-profile', 'exact', 'minor-units']),
    'minor-units rounds fiat amounts to the places of their currency when they are printed. Comparing is always exact. ' +
      'by-profile: exact in CSV files of the profile standard, minor-units in those of the others, and in workbooks.',
  ),
  currency: setting(
    null,
    optional(text('a currency code such as EUR', /^[A-Z]{3}$/)),
    'A currency in which money at stake is also summed and sorted, beside the currencies of the records. Without one, ' +
      'amounts are sorted within each currency.',
  ),
  rates: setting(
    null,
    optional(path),
    'CSV file of its rates, with the columns date, currency and rate (units of reports.currency for one unit; the newest ' +
      'line up to the business date counts). Without one, rates are those of the newest published prices.',
  ),
});
