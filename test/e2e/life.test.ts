/** Breaks live through nights: they open, age, are decided about, resolve and come back; records fall due and retire. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aPurchase, aSale } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { type Finished, openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const CREATED = '"2026-08-31T10:00:00.000Z"';

const released = (id: string, fields: Record<string, string | undefined> = {}) =>
  aPurchase({ id: `"${id}"`, createdAt: CREATED, updatedAt: CREATED, purchaseViewToken: undefined, ...fields });

interface Summary {
  population: number;
  verdicts: Record<string, number>;
  breaks: { open: number; opened: number; reopened: number; resolved: number; waived: number };
  requests: number;
  run_id: string;
  supersedes: string | null;
}

const summaryOf = (run: Finished) => JSON.parse(run.out) as Summary;

describe('a break', () => {
  let server: RecordServer;
  let workspace: Workspace;
  const night = (date: string, ...flags: string[]) => workspace.tieout(['run', '--date', date, '--json', ...flags]);
  const breakOf = (set: string, record: string) => workspace.csv(set, 'breaks').row('record_id', record);
  /** A fee above the quoted one on a purchase still under way, so that it may change without being a restatement. */
  const fee = (applied: string) =>
    released('w-fee', { status: '"PAYMENT_STARTED"', appliedFee: applied, finalTxHash: 'null' });
  let hashId = '';
  let feeId = '';

  beforeAll(async () => {
    server = await startRecordServer();
    // One rule for each record: what else these bodies show is not what this is about.
    workspace = openWorkspace(server.url, {
      settings:
        'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, TOTAL_NOT_FOOTING: off, FEE_BASE_DIFFERS: off, STATUS_STUCK: off }\n',
    });
    workspace.write(
      'ids.csv',
      'kind,id,view_token,quote_id\npurchase,a-hash,tok-1,\npurchase,b-clean,tok-2,\npurchase,w-fee,tok-3,q-1\n',
    );
    workspace.write('quotes.ndjson', aQuoteLine());
    await workspace.ends(0, ['import', 'ids.csv', '-q']);
    expect(await workspace.tieout(['quotes', 'import', 'quotes.ndjson', '-q'])).toMatchObject({ code: 0 });
    server.answers.set('a-hash', { body: released('a-hash', { finalTxHash: 'null' }) });
    server.answers.set('b-clean', { body: released('b-clean') });
    server.answers.set('w-fee', { body: fee('6.26') });
  });
  afterAll(async () => {
    workspace.remove();
    await server.close();
  });

  it('opens on the first night', async () => {
    const run = await night('2026-09-01');
    expect([run.code, run.err.includes('Error')]).toEqual([1, false]);
    expect(summaryOf(run)).toMatchObject({
      population: 3,
      verdicts: { matched: 1, pending: 0, break: 2, unverified: 0, quarantined: 0, waived: 0 },
      breaks: { open: 2, opened: 2, reopened: 0, resolved: 0, waived: 0 },
    });
    const [hash, fees] = [breakOf('2026-09-01/nightly-r1', 'a-hash'), breakOf('2026-09-01/nightly-r1', 'w-fee')];
    expect(hash).toMatchObject({
      rule: 'RELEASED_WITHOUT_TX',
      state: 'open',
      first_seen_date: '2026-09-01',
      last_seen_date: '2026-09-01',
      age_days: '0',
      times_reopened: '0',
    });
    expect(fees).toMatchObject({ rule: 'FEE_APPLIED_DIFFERS', difference: '1.5', currency: 'EUR' });
    hashId = hash.break_id ?? '';
    feeId = fees.break_id ?? '';
    expect(hashId).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is acknowledged, assigned and waived by people, with a reason each time', async () => {
    const silent = await workspace.ends(2, ['breaks', 'waive', feeId]);
    expect(silent.err).toContain('--reason');
    const by = ['--by', 'kim', '--reason', 'ticket 4711'];
    expect(await workspace.tieout(['breaks', 'ack', hashId.slice(0, 10), ...by])).toMatchObject({ code: 0 });
    expect(await workspace.tieout(['breaks', 'assign', hashId, '--to', 'ann', ...by])).toMatchObject({ code: 0 });
    const waived = await workspace.tieout(['breaks', 'waive', feeId, '--until', '2026-09-03', ...by], {
      now: '2026-09-02T08:00:00Z',
    });
    expect(waived).toMatchObject({ code: 0 });
    expect(waived.out).toContain('waived');
  });

  it('ages under the same id; a waived one is not open; --fail-on new sees nothing new', async () => {
    const run = await night('2026-09-02', '--fail-on', 'new');
    expect(run.code).toBe(0);
    expect(summaryOf(run)).toMatchObject({
      verdicts: { matched: 1, pending: 0, break: 1, waived: 1 },
      breaks: { open: 1, opened: 0, waived: 1 },
    });
    expect(breakOf('2026-09-02/nightly-r1', 'a-hash')).toMatchObject({
      break_id: hashId,
      state: 'acknowledged',
      assignee: 'ann',
      age_days: '1',
      first_seen_date: '2026-09-01',
      last_seen_date: '2026-09-02',
    });
    expect(breakOf('2026-09-02/nightly-r1', 'w-fee')).toMatchObject({ break_id: feeId, state: 'waived' });
  });

  it('is unchanged while its record is not verified; the waiver holds to the end of its last day', async () => {
    server.answers.set('a-hash', { status: 503, body: '{"code":"DOWN","statusCode":503}' });
    const run = await night('2026-09-03');
    expect(run.code).toBe(3);
    expect(summaryOf(run)).toMatchObject({
      verdicts: { waived: 1, pending: 0, unverified: 1, break: 0 },
      breaks: { open: 1, resolved: 0, waived: 1 },
    });
    expect(breakOf('2026-09-03/nightly-r1', 'a-hash')).toMatchObject({
      state: 'acknowledged',
      age_days: '2',
      last_seen_date: '2026-09-02',
    });
    expect(workspace.manifest('2026-09-03/nightly-r1')).toMatchObject({ status: 'incomplete' });
    expect(workspace.csv('2026-09-03/nightly-r1', 'coverage').row('record_id', 'a-hash')).toMatchObject({
      outcome: 'unreachable',
      reason: 'SERVER_ERROR',
      http_status: '503',
      attempts: '2',
    });
  });

  it('resolves once the record was verified without it; a waiver that ended reopens', async () => {
    server.answers.set('a-hash', { body: released('a-hash') });
    const run = await night('2026-09-04');
    expect(run.code).toBe(1);
    expect(summaryOf(run)).toMatchObject({ breaks: { open: 1, opened: 0, reopened: 1, resolved: 1, waived: 0 } });
    expect(breakOf('2026-09-04/nightly-r1', 'a-hash')).toMatchObject({ break_id: hashId, state: 'resolved' });
    expect(breakOf('2026-09-04/nightly-r1', 'w-fee')).toMatchObject({
      break_id: feeId,
      state: 'reopened',
      times_reopened: '1',
      first_seen_date: '2026-09-01',
      age_days: '3',
    });
  });

  it('comes back under the same id; another difference than the waived one reopens', async () => {
    await workspace.ends(0, ['breaks', 'waive', feeId, '--reason', 'goodwill', '--by', 'kim']);
    server.answers.set('a-hash', { body: released('a-hash', { finalTxHash: 'null' }) });
    server.answers.set('w-fee', { body: fee('6.46') });
    const run = await night('2026-09-08', '--fail-on', 'none');
    expect(run.code).toBe(0);
    const rows = workspace.csv('2026-09-08/nightly-r1', 'breaks');
    expect(rows.rows.find(({ break_id }) => break_id === hashId)).toMatchObject({
      state: 'reopened',
      times_reopened: '1',
      age_days: '7',
    });
    expect(rows.row('break_id', feeId)).toMatchObject({ state: 'reopened', times_reopened: '2', difference: '1.7' });
  });

  it('lists every event of its life', async () => {
    const shown = await workspace.tieout(['breaks', 'show', feeId, '--json']);
    const { events } = JSON.parse(shown.out) as { events: { type: string; who: string; reason: string | null }[] };
    expect(events.map(({ type, who }) => `${type} ${who}`)).toEqual([
      'opened tieout',
      'waived kim',
      'seen tieout',
      'seen tieout',
      'reopened tieout',
      'waived kim',
      'reopened tieout',
    ]);
    expect(events.at(-1)?.reason).toContain('1.5');
  });

  it('a second run of a date is a new revision that supersedes the first', async () => {
    const run = await night('2026-09-08');
    expect(run.code).toBe(1);
    expect(summaryOf(run)).toMatchObject({
      run_id: 'nightly-2026-09-08-r2',
      supersedes: 'nightly-2026-09-08-r1',
      population: 3,
    });
    expect(workspace.manifest('2026-09-08/nightly-r2')).toMatchObject({
      revision: 2,
      supersedes: 'nightly-2026-09-08-r1',
    });
    // The first one is still there, untouched, and both hang together.
    const verified = await workspace.tieout(['verify', 'out/2026-09-08/nightly-r1', 'out/2026-09-08/nightly-r2']);
    expect([verified.code, verified.err]).toEqual([0, '']);
  });

  it('nothing that happened since changes what an earlier night said', async () => {
    for (const run of ['nightly-2026-09-03-r1', 'nightly-2026-09-08-r1']) {
      const replay = await workspace.tieout(['replay', run, '--json']);
      expect(JSON.parse(replay.out)).toMatchObject({ run_id: run, identical: true, differences: [] });
    }
  });
});

describe('due records', () => {
  let server: RecordServer;
  let workspace: Workspace;

  beforeAll(async () => {
    server = await startRecordServer({
      'p-released': { body: released('p-released') },
      'p-pending': { body: released('p-pending', { status: '"PAYMENT_STARTED"', finalTxHash: 'null' }) },
      's-plain': { body: aSale({ id: '"s-plain"', purchaseViewToken: undefined, createdAt: CREATED }) },
    });
    workspace = openWorkspace(server.url, {
      settings: 'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, STATUS_STUCK: off }\n',
    });
    const lines = [
      '{"kind":"purchase","id":"p-released","view_token":"t1"}',
      '{"kind":"purchase","id":"p-pending","view_token":"t2"}',
      '{"kind":"sale","id":"s-plain","view_token":"t3"}',
    ];
    await workspace.ends(0, ['import', '-', '-q'], { stdin: lines.join('\n') });
  });
  afterAll(async () => {
    workspace.remove();
    await server.close();
  });

  async function looksAt(date: string): Promise<readonly string[]> {
    server.requests.length = 0;
    const run = await workspace.tieout(['run', '--date', date, '--json']);
    expect([run.code, run.err]).toEqual([0, run.err]);
    return server.requests.map(({ id }) => id ?? '').sort();
  }

  it.each([
    ['2026-09-01', 'never verified: all', ['p-pending', 'p-released', 's-plain']],
    ['2026-09-02', 'a day after the end', ['p-pending', 'p-released', 's-plain']],
    ['2026-09-03', 'only what is under way', ['p-pending']],
    ['2026-09-08', 'seven days after the end', ['p-pending', 'p-released', 's-plain']],
    ['2026-10-01', 'thirty days after the end', ['p-pending', 'p-released', 's-plain']],
    ['2026-10-31', 'retired', ['p-pending']],
  ])('%s: %s', async (date, _, ids) => {
    expect(await looksAt(date)).toEqual(ids);
  });

  it('a dry run lists the same and sends nothing', async () => {
    server.requests.length = 0;
    const dry = await workspace.ends(0, ['run', '--date', '2026-11-01', '--dry-run', '--json']);
    expect(JSON.parse(dry.out)).toMatchObject({ requests: 1, due: { not_terminal: 1, post_terminal: 0 } });
    expect(server.requests).toEqual([]);
  });

  it('an audit fetches retired records too', async () => {
    server.requests.length = 0;
    await workspace.ends(0, ['audit', '--id', 'p-released', 's-plain', '--date', '2026-11-01', '--json']);
    expect(server.requests.map(({ id }) => id).sort()).toEqual(['p-released', 's-plain']);
    const created = await workspace.tieout([
      'audit',
      '--from',
      '2026-08-31',
      '--to',
      '2026-09-01',
      '--kind',
      'sale',
      '--date',
      '2026-11-01',
      '--json',
    ]);
    expect(summaryOf(created).population).toBe(1);
  });
});

describe('a quote that the app names days after the record', () => {
  let server: RecordServer;
  let workspace: Workspace;
  afterAll(async () => {
    workspace.remove();
    await server.close();
  });
  const lineOf = (id: string, capturedAt: string, promise: Record<string, string>) =>
    aQuoteLine(promise).replace('"q-1"', `"${id}"`).replace('2026-08-31T09:56:00Z', capturedAt);
  const ids = (quote: string) =>
    JSON.stringify({ kind: 'purchase', id: 'p-late', view_token: 't1', ...(quote && { quote_id: quote }) });

  it('is its promise from then on: what differed from a captured one is a break no more', async () => {
    const body = released('p-late', { baseServiceFee: '3.9', appliedFee: '4.76' });
    server = await startRecordServer({ 'p-late': { body } });
    workspace = openWorkspace(server.url, { settings: 'rules: { FEE_BASE_DIFFERS: off }\n' });
    const night = async (date: string) => {
      await workspace.tieout(['run', '--date', date, '-q']);
      const { rows } = workspace.csv(`${date}/nightly-r1`, 'breaks');
      return rows.map(({ rule, state }) => `${rule} ${state}`);
    };
    // Another user's, with a discount, for the same amount.
    workspace.write(
      'captured.ndjson',
      lineOf('q-other', '2026-08-31T09:50:00Z', { baseServiceFee: '2.9', appliedFee: '3.76' }),
    );
    await workspace.ends(0, ['quotes', 'import', 'captured.ndjson', '-q']);
    await workspace.ends(0, ['import', '-', '-q'], { stdin: ids('') });
    expect(await night('2026-09-01')).toEqual(['FEE_APPLIED_DIFFERS open']);
    // For three times the amount: it tells nothing of this fee.
    const larger = {
      cryptoAmount: '"120000000000000000"',
      fiatValue: '312.56',
      baseServiceFee: '11.7',
      appliedFee: '12.56',
    };
    workspace.write('linked.ndjson', lineOf('q-own', '2026-08-31T09:58:00Z', larger));
    await workspace.ends(0, ['quotes', 'import', 'linked.ndjson', '-q']);
    await workspace.ends(0, ['import', '-', '-q'], { stdin: ids('q-own') });
    expect(await night('2026-09-02')).toEqual(['FEE_APPLIED_DIFFERS resolved']);
  });
});
