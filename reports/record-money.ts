/** Columns of records.csv about months, about what has moved, and about the host's share. */
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';

export const MOVED_COLUMNS: readonly Column<SettledRecord>[] = [
  {
    name: 'business_month',
    type: 'text',
    description:
      "month that the record belongs to: by the app's date of its creation, else the Service's, else its import",
    unit: '`2026-10`',
    empty: 'no date is known',
    value: ({ businessMonth }) => businessMonth,
  },
  {
    name: 'money_moved',
    type: 'text',
    description:
      'whether money has moved: `yes` (paid and delivered, or not given back in time), `pending` (paid, not delivered yet), `no` (never paid), `unknown`',
    value: ({ moved }) => moved,
  },
  {
    name: 'earned_month',
    type: 'text',
    description: 'month of the release',
    unit: '`2026-10`',
    empty: 'not released, or the body does not date it',
    value: ({ earnedMonth }) => earnedMonth,
  },
];

export const SHARE_COLUMNS: readonly Column<SettledRecord>[] = [
  {
    name: 'host_share',
    type: 'amount',
    description: "the host's (your) share of a released record: what `tieout revenue` and the journal add up",
    empty: 'not released, or neither the record nor its linked quote states a share',
    currencyColumn: 'fiat_currency',
    value: ({ share }) => share?.amount ?? null,
  },
  {
    name: 'host_share_source',
    type: 'text',
    description: '`record`: the record states it; `quote`: only its linked quote promised it',
    empty: 'no share is known',
    value: ({ share }) => share?.source ?? null,
  },
];
