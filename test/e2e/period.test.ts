/**
 * Two months over the embedded Service, by the command line: run, close, review, restate, delta, close the next, verify.
 * The months lie in the past, so that they are over on any day.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { openApp } from '../../src/app/app.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Outcome, tieout } from '../cli/world.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { readCsv } from './support/csv.ts';
import { PATIENCE } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const NOW = Date.parse('2024-10-07T00:00:00Z');

let folder = '';
let sandbox: Sandbox;
/** Purchases whose transaction hash or host share is restated on the second night, by the month they were created in. */
let restated: { september: string[]; october: string[] };

const path = (...names: string[]) => join(folder, ...names);

function call(line: string, env: Record<string, string> = {}): Promise<Outcome> {
  return tieout(`--config ${path('tieout.yaml')} ${line}`, {
    openApp,
    env: { TIEOUT_DATABASE_URL: `sqlite:${path('tieout.db')}`, TIEOUT_OUT: path('out'), CI: '1', ...env },
  });
}

async function json(line: string): Promise<Record<string, unknown>> {
  const outcome = await call(`${line} --json`);
  expect([outcome.code, outcome.err]).toEqual([0, outcome.err]);
  return JSON.parse(outcome.out) as Record<string, unknown>;
}

const csv = (set: string, name: string) => readCsv(readFileSync(path('out', 'periods', set, `${name}.csv`), 'utf8'));

/** Every byte of a folder. */
const bytesOf = (set: string) =>
  Object.fromEntries(
    readdirSync(path('out', 'periods', set)).map((name) => [
      name,
      readFileSync(path('out', 'periods', set, name)).toString('base64'),
    ]),
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-periods-'));
  sandbox = await createSandbox({
    bodies: 'observed',
    clock: () => NOW,
    now: NOW,
    days: 40,
    records: 80,
    rateLimits: 'off',
    defects: 0.1,
    defectKinds: ['RESTATED'],
  });
  const lines = [...sandbox.trackedLines()];
  const monthOf = new Map(lines.map(({ id, created_at }) => [id, created_at.slice(0, 7)]));
  const changed = [...sandbox.answerKey()].map(({ id }) => id).sort();
  restated = {
    september: changed.filter((id) => monthOf.get(id) === '2024-09'),
    october: changed.filter((id) => monthOf.get(id) === '2024-10'),
  };
  // Both months must have something to find, or the rest would prove nothing.
  expect(restated.september.length).toBeGreaterThan(0);
  expect(restated.october.length).toBeGreaterThan(0);
  const keys = ['kind', 'id', 'view_token', 'created_at', 'host_reference', 'quote_id', 'expected_status'] as const;
  const rows = lines.map((line) => keys.map((key) => line[key] ?? '').join(','));
  writeFileSync(path('ids.csv'), `${[keys.join(','), ...rows].join('\n')}\n`);
  writeFileSync(path('quotes.ndjson'), [...sandbox.quoteLines()].map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(
    path('tieout.yaml'),
    `service: { url: '${sandbox.url}', rateLimits: off, guard: 0s }\nlogLevel: warn\nrules: { RATE_OUT_OF_LINE: off }\n`,
  );
  expect((await call(`import ${path('ids.csv')}`)).code).toBe(0);
  expect((await call(`quotes import ${path('quotes.ndjson')}`)).code).toBe(0);
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('closing', () => {
  it('shows before the first night that nothing was verified, and refuses with exit code 3', async () => {
    const status = await json('period status 2024-09');
    expect(status).toMatchObject({ state: 'open', is_over: true, verdicts: { matched: 0 } });
    expect(status.never_verified).toBe(status.population);
    expect(status.never_looked_at).toBe(status.population);
    const refused = await call('period close 2024-09 --by Ann');
    expect([refused.code, refused.out]).toEqual([3, '']);
    expect(refused.err).toContain('never verified');
    expect(refused.err).toContain('--accept-open');
  });

  it('refuses a text that is no month, and a month that is not over', async () => {
    const month = await call('period close 2024-9 --by Ann');
    expect([month.code, month.err.includes('write it as 2026-10')]).toEqual([2, true]);
    const future = await call('period close 2999-01 --by Ann');
    expect([future.code, future.err.includes('is not over')]).toEqual([2, true]);
    expect((await call('period close 2024-09')).code).toBe(2);
  });

  it('seals a clean month, with every report and nothing of earlier months', async () => {
    const run = await call('run --date 2024-10-06 --fail-on none --json');
    expect([run.code, JSON.parse(run.out).breaks.open]).toEqual([0, 0]);
    const closed = await json('period close 2024-09 --by Ann');
    expect(closed).toMatchObject({ period: '2024-09', stated_by: 'Ann', changes: [], breaks: { open: 0, waived: 0 } });
    const files = [
      'datapackage.json',
      'manifest.json',
      'prior_period.csv',
      ...REPORTS.map(({ definition }) => `${definition.name}.csv`),
    ];
    expect(readdirSync(path('out', 'periods', '2024-09')).sort()).toEqual(files.sort());
    const records = csv('2024-09', 'records').rows;
    expect(records.length).toBe(closed.population);
    expect(records.every(({ created_at }) => created_at?.startsWith('2024-09'))).toBe(true);
    expect(new Set(records.map(({ verdict }) => verdict))).toEqual(new Set(['matched']));
    expect(csv('2024-09', 'prior_period').rows).toEqual([]);
    const nights = readFileSync(path('out', '2024-10-06', 'nightly-r1', 'records.csv'), 'utf8');
    // The month's set has the same row for a record as its night.
    for (const { record_id: id, applied_fee: fee, evidence_sha256: evidence } of records) {
      expect(nights).toContain(`,${id},`);
      expect(nights).toContain(`${fee}`);
      expect(nights).toContain(`${evidence}`);
    }
  });

  it('is done once, and in order', async () => {
    const again = await call('period close 2024-09 --by Bob');
    expect([again.code, again.err.includes('was closed by Ann')]).toEqual([2, true]);
    const gap = await call('period close 2024-11 --by Ann');
    expect([gap.code, gap.err.includes('close 2024-10 first')]).toEqual([2, true]);
  });
});

describe('reviewing', () => {
  it('needs another name, however it is written', async () => {
    const same = await call('period review 2024-09 --by ANN');
    expect([same.code, same.err.includes('another person must review it')]).toEqual([2, true]);
    expect((await call('period review 2024-10 --by Bob')).code).toBe(2);
    expect(await json('period review 2024-09 --by Bob')).toMatchObject({
      state: 'reviewed',
      closed_by: 'Ann',
      reviewed_by: 'Bob',
    });
    expect((await call('period review 2024-09 --by Cleo')).err).toContain('was reviewed by Bob');
  });
});

describe('later findings', () => {
  let sealed: Record<string, string>;

  it('is counted by the night that finds it, and changes no sealed byte', async () => {
    sealed = bytesOf('2024-09');
    sandbox.setNight(2);
    const run = JSON.parse((await call('run --date 2024-10-14 --fail-on none --json')).out);
    expect(run.prior_period_records).toBe(restated.september.length);
    expect(bytesOf('2024-09')).toEqual(sealed);
    const status = await json('period status 2024-09');
    expect(status).toMatchObject({ state: 'reviewed', differs_since: { records: restated.september.length } });
    expect(status.sets).toMatchObject([{ folder: 'periods/2024-09', problems: [] }]);
  });

  it('is stated beside the sealed set, once', async () => {
    const delta = await json('period delta 2024-09 --by Ann');
    expect(delta).toMatchObject({ folder: path('out', 'periods', '2024-09-delta-001') });
    const changes = csv('2024-09-delta-001', 'changes').rows;
    expect([...new Set(changes.map(({ record_id }) => record_id))]).toEqual(restated.september);
    expect(new Set(changes.map(({ period }) => period))).toEqual(new Set(['2024-09']));
    expect(csv('2024-09-delta-001', 'records').rows.map(({ record_id }) => record_id)).toEqual(restated.september);
    const again = await call('period delta 2024-09 --by Ann');
    expect([again.code, again.err.includes('differs from periods/2024-09-delta-001')]).toEqual([2, true]);
    expect(bytesOf('2024-09')).toEqual(sealed);
  });

  it('needs a second person for the delta too: until then the month is closed, not reviewed', async () => {
    expect(await json('period status 2024-09')).toMatchObject({ state: 'closed', sets: [{}, { reviewed_by: null }] });
    const own = await call('period review 2024-09 --by Ann');
    expect([own.code, own.err.includes('Ann stated delta 1 of 2024-09')]).toEqual([2, true]);
    expect((await call('period review 2024-09 --by Cleo')).code).toBe(0);
    expect(await json('period status 2024-09')).toMatchObject({
      state: 'reviewed',
      sets: [{}, { reviewed_by: 'Cleo' }],
    });
    expect((await call('period review 2024-09 --by Dan')).code).toBe(2);
  });

  it('refuses the next month over its open breaks with exit code 1, unless a reason is given', async () => {
    const refused = await call('period close 2024-10 --by Ann');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('2024-10 has 2 open breaks: 2 RESTATED;');
    expect(restated.october).toHaveLength(2);
  });

  it('is reported in the next month as of a prior period', async () => {
    const closed = await json('period close 2024-10 --by Ann --accept-open ticket-4711');
    expect(closed.changes).toMatchObject([{ period: '2024-09', records: restated.september.length }]);
    const prior = csv('2024-10', 'prior_period').rows;
    expect([...new Set(prior.map(({ record_id }) => record_id))]).toEqual(restated.september);
    const breaks = prior.filter(({ change }) => change === 'break');
    expect(breaks.map(({ record_id, period, before, after }) => [record_id, period, before, after])).toEqual(
      restated.september.map((id) => [id, '2024-09', '', 'open']),
    );
    expect(
      breaks.every(({ item, first_seen_date }) => item?.startsWith('RESTATED') && first_seen_date === '2024-10-14'),
    ).toBe(true);
    // October's own restatements are its own, not a prior period's.
    const own = csv('2024-10', 'breaks').rows.map(({ record_id }) => record_id);
    expect(own).toEqual(expect.arrayContaining(restated.october));
    const manifest = JSON.parse(readFileSync(path('out', 'periods', '2024-10', 'manifest.json'), 'utf8'));
    expect(manifest.period).toMatchObject({ name: '2024-10', stated_by: 'Ann', accepted_open: 'ticket-4711' });
    expect(bytesOf('2024-09')).toEqual(sealed);
  });

  it('is reported once: nothing of it waits for the month after', async () => {
    expect(await json('period status 2024-09')).toMatchObject({
      differs_since: { records: 0 },
      not_carried_yet: { records: 0 },
    });
    const run = JSON.parse((await call('run --date 2024-10-15 --fail-on none --json')).out);
    expect(run.prior_period_records).toBe(0);
  });

  it('survives pruning: the sealed sets stay as they are', async () => {
    expect((await call('db prune')).code).toBe(0);
    expect(bytesOf('2024-09')).toEqual(sealed);
    expect((await json('period status 2024-09')).sets).toMatchObject([{ problems: [] }, { problems: [] }]);
  });
});

describe('the sets', () => {
  it('hang in the chain with the nights, and verify', async () => {
    const verified = await call(`verify ${path('out')} --json`);
    expect(verified.code).toBe(0);
    const sets = JSON.parse(verified.out) as { path: string; signature: string }[];
    expect(sets.map((set) => set.path.slice(path('out').length + 1))).toEqual([
      '2024-10-06/nightly-r1',
      '2024-10-14/nightly-r1',
      '2024-10-15/nightly-r1',
      'periods/2024-09',
      'periods/2024-09-delta-001',
      'periods/2024-10',
    ]);
    expect(new Set(sets.map(({ signature }) => signature))).toEqual(new Set(['unsigned']));
    expect(
      JSON.parse((await call('period status --json')).out)
        .periods.map(({ period, state }: { period: string; state: string }) => `${period} ${state}`)
        .slice(0, 4),
    ).toEqual(['2024-08 before-first-close', '2024-09 reviewed', '2024-10 closed', '2024-11 open']);
  });

  it('that were changed are reported by status and by verify, and are not reviewed', async () => {
    cpSync(path('out'), path('kept'), { recursive: true, verbatimSymlinks: true });
    const totals = path('out', 'periods', '2024-10', 'totals.csv');
    writeFileSync(totals, readFileSync(totals, 'utf8').replace(/,(\d+)\.(\d)/, ',9$1.$2'));
    const status = await call('period status 2024-10');
    expect([status.code, status.out.includes('FAILS  periods/2024-10')]).toEqual([1, true]);
    const review = await call('period review 2024-10 --by Bob');
    expect([review.code, review.err.includes('fails verification')]).toEqual([1, true]);
    expect((await call(`verify ${path('out', 'periods')}`)).code).toBe(1);
    rmSync(path('out'), { recursive: true });
    cpSync(path('kept'), path('out'), { recursive: true, verbatimSymlinks: true });
    expect((await call('period review 2024-10 --by Bob')).code).toBe(0);
  });

  it('report a closer who was written into the database by hand', async () => {
    const forge = (from: string, to: string) => {
      using database = openSqliteFile(path('tieout.db'));
      const { changes } = database
        .prepare(`update period_statements set stated_by = ? where stated_by = ? and type = 'close'`)
        .run(to, from);
      expect(changes).toBeGreaterThan(0);
    };
    const [closer = ''] =
      /"stated_by": "([^"]+)"/.exec(readFileSync(path('out/periods/2024-10/manifest.json'), 'utf8'))?.slice(1) ?? [];
    forge(closer, 'Mallory');
    const status = await call('period status 2024-10');
    expect([status.code, status.out]).toEqual([1, expect.stringContaining(`Mallory stated it`)]);
    forge('Mallory', closer);
    expect((await call('period status 2024-10')).code).toBe(0);
  });

  it('are signed once a key is configured, and the older ones stay unsigned and hold', async () => {
    const made = await call(`keys generate --out ${path('keys')} --json`);
    const { private_key_file: key, public_key_file: pub, public_key: pem } = JSON.parse(made.out);
    expect(pem).toContain('-----BEGIN PUBLIC KEY-----');
    expect((await call(`keys generate --out ${path('keys')}`)).code).toBe(2);
    const signing = { TIEOUT_SIGNING_KEY_FILE: key };
    const secret = readFileSync(key, 'utf8').split('\n')[1] ?? '';
    const run = await call('run --date 2024-10-16 --fail-on none -v', signing);
    expect([run.code, run.err.includes(secret), run.out.includes(secret)]).toEqual([0, false, false]);
    const verified = await call(`verify ${path('out')} --public-key ${pub} --json`);
    expect(verified.code).toBe(0);
    const signatures = (JSON.parse(verified.out) as { signature: string }[]).map(({ signature }) => signature);
    expect([
      signatures.filter((each) => each === 'good').length,
      signatures.filter((each) => each === 'unsigned').length,
    ]).toEqual([1, 6]);
    expect((await call(`verify ${path('out')} --public-key ${pub} --require-signed`)).code).toBe(1);
    expect(readFileSync(path('tieout.db')).includes(secret)).toBe(false);
    rmSync(path('out', '2024-10-16', 'nightly-r1', 'manifest.json.sig'));
    const taken = await call(`verify ${path('out', '2024-10-16')}`);
    expect([taken.code, taken.out.includes('manifest.json.sig: is missing')]).toEqual([1, true]);
  });

  it('need a key that can be read, before anything is fetched', async () => {
    const before = sandbox.stats().requests;
    const run = await call('run --date 2024-10-17', { TIEOUT_SIGNING_KEY_FILE: path('nowhere.pem') });
    expect([run.code, run.err.includes('nowhere.pem cannot be read (ENOENT)')]).toEqual([2, true]);
    expect(sandbox.stats().requests).toBe(before);
  });
});
