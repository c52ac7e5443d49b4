import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FileOpener, ReportDefinition } from '../../src/ports/report-definition.ts';
import type { JudgedPage, OutsideBreak, Report, SettledRecord, Tally } from '../../src/ports/settled.ts';
import { PublicationError } from '../../src/publish/errors.ts';
import { openReportSet } from '../../src/publish/report-set.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { emptyTally } from '../../src/reconcile/tally.ts';
import { MANIFEST_KEYS } from '../e2e/support/contract-columns.ts';
import { aRun } from '../support/a-run.ts';
import { at } from '../support/builders.ts';
import { failingAt } from './support/faulty-file-system.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();

const DEFINITION: ReportDefinition<string> = {
  name: 'order',
  description: 'Calls, in order',
  columns: [{ name: 'what', type: 'text', description: '', value: (what) => what }],
};

/** Writes a line for each call. */
const ORDER: Report = {
  definition: DEFINITION,
  start: (_run, opener: FileOpener) => {
    const file = opener.open(DEFINITION);
    return {
      record: ({ kind, recordId }) => file.write([`record ${kind} ${recordId}`]),
      outside: ({ kind, recordId }) => file.write([`break ${kind} ${recordId}`]),
      partial: () => null,
      absorb: () => undefined,
      end: () => file.write(['end']),
    };
  },
};

const RUN = aRun({
  runId: 'nightly-2026-11-20-r2',
  revision: 2,
  state: 'settled',
  timezone: 'Europe/Berlin',
  startedAt: at('2026-11-21 04:15'),
  finishedAt: at('2026-11-21 04:20'),
  asOf: at('2026-11-20 23:00'),
  rulesHash: 'a'.repeat(64),
  configHash: 'b'.repeat(64),
  supersedes: 'nightly-2026-11-20-r1',
  requestsSent: 7,
  population: 3,
  verdicts: { matched: 1, pending: 0, break: 1, unverified: 1, quarantined: 0, waived: 0 },
});

const TALLY: Tally = {
  ...emptyTally(),
  population: 3,
  verdicts: { matched: 1, pending: 0, break: 1, unverified: 1, quarantined: 0, waived: 0 },
  notReached: 1,
  breaks: { open: 2, opened: 1, reopened: 0, resolved: 0, waived: 0 },
  infos: new Map([['FEE_OUT_OF_BOUNDS', 2]]),
  notApplicable: new Map([
    ['RATE_OUT_OF_LINE', 3],
    ['AMOUNT_OUT_OF_LIMITS', 1],
  ]),
};

/** Only what the order depends on. */
function page(records: readonly string[], outside: readonly string[]): JudgedPage {
  const named = (name: string) => {
    const [kind, recordId] = name.split(' ');
    return { kind, recordId };
  };
  return {
    records: records.map((name) => named(name) as unknown as SettledRecord & { recordKey: number }),
    outside: outside.map((name) => named(name) as unknown as OutsideBreak),
  };
}

const OPTIONS = {
  profile: 'standard',
  decimals: 'exact',
  suffix: 'test',
  reports: [ORDER],
  rules: { FEE_APPLIED_DIFFERS: 'high' },
} as const;

it('puts records and the breaks of others into one order, and ends every report once', async () => {
  const out = tempFolder();
  const set = openReportSet(RUN, { ...OPTIONS, out });
  set.write(page(['purchase b', 'purchase d'], ['purchase a', 'purchase c']));
  set.write(page(['sale a'], ['purchase e', 'sale 9', 'sale b']));
  expect(await set.publish(RUN, TALLY, 'complete')).toBe('2026-11-20/nightly-r2');
  expect(readFileSync(join(out, 'latest/order.csv'), 'utf8').trimEnd().split('\n')).toEqual([
    'what',
    'break purchase a',
    'record purchase b',
    'break purchase c',
    'record purchase d',
    'break purchase e',
    'break sale 9',
    'record sale a',
    'break sale b',
    'end',
  ]);
});

it('says in the manifest what the run was, in the contract’s order, with additions at the end', async () => {
  const out = tempFolder();
  await openReportSet(RUN, { ...OPTIONS, out }).publish(RUN, TALLY, 'incomplete');
  const manifest = JSON.parse(readFileSync(join(out, '2026-11-20/nightly-r2/manifest.json'), 'utf8'));
  expect(Object.keys(manifest)).toEqual([
    ...MANIFEST_KEYS,
    'profile',
    'decimals',
    'sources',
    'incomplete_because',
    'breaks',
    'not_applicable',
    'infos',
    'records_at_risk',
    'money_at_stake',
    'waived',
  ]);
  expect(manifest).toMatchObject({
    supersedes: 'nightly-2026-11-20-r1',
    status: 'incomplete',
    started_at: '2026-11-21T04:15:00.000Z',
    finished_at: '2026-11-21T04:20:00.000Z',
    not_applicable: { AMOUNT_OUT_OF_LIMITS: 1, RATE_OUT_OF_LINE: 3 },
  });
  expect((await verifySets(out)).flatMap(({ problems }) => problems)).toEqual([]);
  expect(existsSync(join(out, 'latest'))).toBe(false);
});

it('leaves nothing where a report cannot even be opened', () => {
  const out = tempFolder();
  const { fileSystem, calls } = failingAt(1_000_000, 'ENOSPC');
  void openReportSet(RUN, { ...OPTIONS, out, fileSystem }).discard();
  const opening = calls.findIndex((call) => call.startsWith('open') && call.endsWith('order.csv'));
  expect(opening).toBeGreaterThan(0);

  const elsewhere = tempFolder();
  const full = { ...OPTIONS, out: elsewhere, fileSystem: failingAt(opening, 'ENOSPC').fileSystem };
  expect(() => openReportSet(RUN, full)).toThrow(PublicationError);
  expect(existsSync(join(elsewhere, '2026-11-20/.nightly-r2.test.partial'))).toBe(false);
});
