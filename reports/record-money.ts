/** Columns of records.csv about months, about what has moved, and about the host's share. */
import { priceWindow } from '../src/domain/slippage.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf } from './columns.ts';

const { amount, instant, text } = columnsOf<SettledRecord>();

export const MOVED_COLUMNS: readonly Column<SettledRecord>[] = [
  text('business_month', ({ businessMonth }) => businessMonth, {
    description:
      "month that the record belongs to: by the app's date of its creation, else the Service's, else its import",
    unit: '`2026-10`',
    empty: 'no date is known',
  }),
  text('money_moved', ({ moved }) => moved, {
    description:
      'whether money has moved: `yes` (paid and delivered, or not given back in time), `pending` (paid, neither delivered nor given back yet), `no` (never paid), `unknown`',
  }),
  text('earned_month', ({ earnedMonth }) => earnedMonth, {
    description: 'month of the release',
    unit: '`2026-10`',
    empty: 'not released, or the body does not date it',
  }),
];

export const WINDOW_COLUMNS: readonly Column<SettledRecord>[] = [
  text('price_window', priceWindow, {
    description:
      'the hours in which the price was fixed, where they are more than two, and how many prices of others in them it was judged by',
    unit: '`44 h: 3 quotes, 1 listing`',
    empty: 'known to two hours or less, not executed yet, or no quote',
  }),
];

export const SHARE_COLUMNS: readonly Column<SettledRecord>[] = [
  amount('host_share', ({ share }) => share?.amount ?? null, {
    description: "the host's (your) share of a released record: what `tieout revenue` and the journal add up",
    empty: 'not released, or neither the record nor its linked quote states a share',
  }),
  text('host_share_source', ({ share }) => share?.source ?? null, {
    description: '`record`: the record states it; `quote`: only its linked quote promised it',
    empty: 'no share is known',
  }),
  instant('earned_at', ({ earned }) => earned?.at ?? null, {
    description: 'when the share was earned: the release, by the earliest sign of it',
    empty: 'not released, or taken back',
  }),
  text('earned_at_source', ({ earned }) => earned?.source ?? null, {
    description:
      "what dates the release: `actions` (the body's list of moments), `webhook`, or of the first released body its `updated_at`, `created_at` or time of receipt (`fetched_at`)",
    empty: 'not released, or taken back',
  }),
  text('earned_at_bound', ({ earned }) => (earned === null ? null : EXACT.has(earned.source) ? 'exact' : 'latest'), {
    description: '`exact`: the moment itself; `latest`: it was released then, or before',
    empty: 'not released, or taken back',
  }),
];

const EXACT: ReadonlySet<string> = new Set(['actions', 'webhook']);
