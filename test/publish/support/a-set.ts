/** A small report set, whole and consistent, for tests that say only what matters to them. */

import { Decimal } from '../../../src/domain/decimal.ts';
import type { SetFacts, SetFigures } from '../../../src/ports/html-view.ts';
import type { ReportDefinition } from '../../../src/ports/report-definition.ts';
import type { FileSystem } from '../../../src/publish/file-system.ts';
import type { ManifestFacts } from '../../../src/publish/manifest.ts';
import { Publication, type PublicationSettings } from '../../../src/publish/publication.ts';
import type { RunSetName } from '../../../src/publish/set-path.ts';

export interface ARecord {
  id: string;
  reference: string | null;
  verdict: 'matched' | 'pending' | 'break' | 'unverified' | 'quarantined';
  units: string | null;
  currency: string | null;
  value: Decimal | null;
  rate: Decimal | null;
  fetchedAt: number | null;
  breaks: number | null;
  paid: boolean | null;
}

export const WITHOUT_FIGURES: SetFigures = { breaks: null, stake: null, reporting: null };

/** One column of every type. */
export const RECORDS: ReportDefinition<ARecord> = {
  name: 'records',
  description: 'Records',
  columns: [
    { name: 'record_id', type: 'id', description: 'Id', value: ({ id }) => id },
    { name: 'host_reference', type: 'text', description: 'Reference', value: ({ reference }) => reference },
    { name: 'verdict', type: 'text', description: 'Verdict', value: ({ verdict }) => verdict },
    { name: 'crypto_units', type: 'units', description: 'Units', value: ({ units }) => units },
    { name: 'fiat_currency', type: 'text', description: 'Currency', value: ({ currency }) => currency },
    {
      name: 'fiat_value',
      type: 'amount',
      description: 'Value',
      currencyColumn: 'fiat_currency',
      value: ({ value }) => value,
    },
    { name: 'exchange_rate', type: 'percent', description: 'Rate', value: ({ rate }) => rate },
    { name: 'fetched_at', type: 'instant', description: 'Fetched', value: ({ fetchedAt }) => fetchedAt },
    { name: 'break_count', type: 'count', description: 'Breaks', value: ({ breaks }) => breaks },
    { name: 'paid', type: 'boolean', description: 'Paid', value: ({ paid }) => paid },
  ],
};

export function aRecord(overrides: Partial<ARecord> = {}): ARecord {
  return {
    id: 'sqs6a428mqjtzbv',
    reference: 'order-1',
    verdict: 'matched',
    units: '8023728890597727',
    currency: 'EUR',
    value: Decimal.parse('10'),
    rate: Decimal.parse('1180.9032500905719'),
    fetchedAt: Date.UTC(2026, 10, 21, 4, 15, 0, 7),
    breaks: 0,
    paid: true,
    ...overrides,
  };
}

/** All that can be unknown is. */
export const UNVERIFIED: ARecord = {
  id: 'x',
  reference: null,
  verdict: 'unverified',
  units: null,
  currency: null,
  value: null,
  rate: null,
  fetchedAt: null,
  breaks: null,
  paid: null,
};

export interface AFee {
  id: string;
  applied: string | null;
  base: string | null;
  network: string | null;
  adjustment: string | null;
}

const decimal = (text: string | null) => (text === null ? null : Decimal.parse(text));

export const FEES: ReportDefinition<AFee> = {
  name: 'fees',
  description: 'Fees',
  columns: [
    { name: 'record_id', type: 'id', description: 'Id', value: ({ id }) => id },
    { name: 'fiat_currency', type: 'text', description: 'Currency', value: () => 'EUR' },
    {
      name: 'applied_fee_variance',
      type: 'amount',
      description: 'Applied',
      currencyColumn: 'fiat_currency',
      value: ({ applied }) => decimal(applied),
    },
    {
      name: 'base_fee_variance',
      type: 'amount',
      description: 'Base',
      currencyColumn: 'fiat_currency',
      value: ({ base }) => decimal(base),
    },
    {
      name: 'network_fee_variance',
      type: 'amount',
      description: 'Network',
      currencyColumn: 'fiat_currency',
      value: ({ network }) => decimal(network),
    },
    {
      name: 'adjustment_variance',
      type: 'amount',
      description: 'Adjustment',
      currencyColumn: 'fiat_currency',
      rest: { of: 'applied_fee_variance', without: ['base_fee_variance', 'network_fee_variance'] },
      value: ({ adjustment }) => decimal(adjustment),
    },
  ],
};

const SHA = 'a'.repeat(64);

export function facts(overrides: Partial<ManifestFacts> = {}): ManifestFacts & SetFacts {
  return {
    run_id: 'nightly-2026-11-20-r1',
    job: 'nightly',
    business_date: '2026-11-20',
    revision: 1,
    supersedes: null,
    status: 'complete',
    selection: { type: 'due' },
    timezone: 'UTC',
    started_at: '2026-11-21T04:15:00.000Z',
    finished_at: '2026-11-21T04:20:00.000Z',
    population: 3,
    verdicts: { matched: 2, pending: 0, break: 1, unverified: 0, quarantined: 0, waived: 0 },
    requests_sent: 3,
    rule_set: { rules: { FEE_APPLIED_DIFFERS: 'high' }, sha256: SHA },
    configuration_sha256: SHA,
    code_version: '0.1.0',
    ...overrides,
  };
}

/** Two matched, one break; EUR and JPY; a text that a spreadsheet would run. */
export const THREE_RECORDS: readonly ARecord[] = [
  aRecord(),
  aRecord({ id: 'sb', reference: '=1+1', currency: 'JPY', value: Decimal.parse('1500') }),
  aRecord({ id: 'sc', reference: null, verdict: 'break', value: Decimal.parse('0.125'), breaks: 2, paid: null }),
];

export const TWO_FEES: readonly AFee[] = [
  { id: 'sqs6a428mqjtzbv', applied: '1.5', base: '1.25', network: '0.35', adjustment: '-0.1' },
  { id: 'sc', applied: '0.5', base: null, network: '0.2', adjustment: '0.3' },
];

export interface SetOptions extends Partial<PublicationSettings & RunSetName> {
  out: string;
  records?: readonly ARecord[];
  fees?: readonly AFee[];
  facts?: Partial<ManifestFacts>;
  fileSystem?: FileSystem;
}

export function openPublication(options: SetOptions): Publication {
  return new Publication({
    businessDate: '2026-11-20',
    job: 'nightly',
    revision: 1,
    profile: 'standard',
    decimals: 'exact',
    suffix: 'test',
    ...options,
  });
}

/** Publishes the small set; its path in the out folder. */
export async function publishSet(options: SetOptions): Promise<string> {
  const publication = openPublication(options);
  publication.open(RECORDS).write(options.records ?? THREE_RECORDS);
  publication.open(FEES).write(options.fees ?? TWO_FEES);
  const { businessDate = '2026-11-20', job = 'nightly', revision = 1 } = options;
  return publication.publish(
    facts({
      run_id: `${job}-${businessDate}-r${revision}`,
      job,
      business_date: businessDate,
      revision,
      ...options.facts,
    }),
  );
}
