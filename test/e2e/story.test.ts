/** The story of one break, as an auditor asks for it on the command line. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const body = (fields: Record<string, string | undefined>) =>
  aPurchase({
    id: '"dear"',
    createdAt: '"2026-08-31T10:00:00.000Z"',
    updatedAt: '"2026-08-31T10:00:00.000Z"',
    purchaseViewToken: undefined,
    finalTxHash: '"0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed"',
    ...fields,
  });

let server: RecordServer;
let workspace: Workspace;
let id = '';

beforeAll(async () => {
  server = await startRecordServer();
  workspace = openWorkspace(server.url, { settings: 'rules: { TOTAL_NOT_FOOTING: off, FEE_BASE_DIFFERS: off }\n' });
  workspace.write('ids.csv', 'kind,id,view_token,quote_id,host_reference\npurchase,dear,tok-1,q-1,order 7\n');
  workspace.write('quotes.ndjson', aQuoteLine());
  expect(await workspace.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
  expect(await workspace.tieout(['quotes', 'import', 'quotes.ndjson', '-q'])).toMatchObject({ code: 0 });
  server.answers.set('dear', { body: body({ status: '"RELEASING"', appliedFee: '6.26' }) });
  expect(await workspace.tieout(['run', '--date', '2026-08-31', '-q'])).toMatchObject({ code: 1 });
  server.answers.set('dear', { body: body({ appliedFee: '6.26' }) });
  expect(await workspace.tieout(['run', '--date', '2026-09-01', '-q'])).toMatchObject({ code: 1 });
  id = workspace.csv('2026-09-01/nightly-r1', 'breaks').row('rule', 'FEE_APPLIED_DIFFERS').break_id ?? '';
  const kim = ['--by', 'kim', '--reason', 'asked the Service, ticket 4711'];
  expect(await workspace.tieout(['breaks', 'ack', id, ...kim])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  workspace.remove();
  await server.close();
});

it('prints it in a hundred columns', async () => {
  const { out } = await workspace.ends(0, ['breaks', 'show', id.slice(0, 12)]);
  const tooWide = out.split('\n').filter((line) => line.length > 100);
  expect(tooWide).toEqual([]);
  for (const line of [
    'FEE_APPLIED_DIFFERS (high, acknowledged) on purchase dear',
    '  quoted fee  4.76 EUR',
    '  actual fee  6.26 EUR',
    '  difference  6.26 − 4.76 = +1.50 EUR',
    '  tolerance   the larger of 0.01 and 0.00 (0 × 4.76) = 0.01 EUR',
    '  outcome     1.50 > 0.01: a break',
    '  Judged again from what nightly-2026-09-01-r1 stored, by the rules and settings of that run: the',
    '  same finding, to the digit.',
    '  captured            2026-08-31 09:56 UTC, 4 min before the record was created',
    '  basis               linked: the application named it for this record',
  ]) {
    expect(out.split('\n')).toContain(line);
  }
  expect(out).toMatch(/status learned +RELEASING → RELEASED, \S+ \S+ UTC, by fetch/);
  expect(out).toMatch(/host reference +order 7/);
  expect(out).toMatch(/acknowledged by kim: asked the Service, ticket 4711/);
  expect(out).not.toContain('tok-1');
});

it('has the same as data', async () => {
  const { out } = await workspace.ends(0, ['breaks', 'show', id, '--json']);
  expect(out.match(/"\w*[a-z][A-Z]\w*":/g)).toBeNull();
  expect(JSON.parse(out)).toMatchObject({
    break_id: id,
    difference: '1.5',
    recomputed: { outcome: 'agrees' },
    today: { verdict: null, changed_settings: [] },
    judged_in: { run_id: 'nightly-2026-09-01-r1', outcome: 'verified' },
    quote: { quote_id: 'q-1', basis: 'linked', age_seconds: 240, promise: { applied_fee: '4.76' } },
    record: {
      tracked_from: 'import',
      linked_quote_id: 'q-1',
      status_changes: [{ from_status: 'RELEASING', to_status: 'RELEASED', learned_from: 'fetch', legal: true }],
    },
    arithmetic: [
      { label: 'quoted fee', working: null, result: '4.76', unit: 'EUR' },
      { label: 'actual fee', working: null, result: '6.26', unit: 'EUR' },
      { label: 'difference', working: '6.26 − 4.76', result: '+1.50', unit: 'EUR' },
      { label: 'tolerance', result: '0.01' },
      { label: 'outcome', working: '1.50 > 0.01', result: 'a break' },
      { label: 'parts' },
    ],
    events: [{ type: 'opened' }, { type: 'seen' }, { type: 'acknowledged', who: 'kim' }],
  });
});

it('says where the settings have changed since', async () => {
  const settings = workspace.read('tieout.yaml');
  workspace.write('tieout.yaml', `${settings}tolerances: { rules: { FEE_APPLIED_DIFFERS: { absolute: 2 } } }\n`);
  const { out } = await workspace.tieout(['breaks', 'show', id]);
  workspace.write('tieout.yaml', settings);
  expect(out).toContain('The settings have changed since that run: by them this would be no break.');
  expect(out).toMatch(/tolerances\.rules\.FEE_APPLIED_DIFFERS\.absolute\n +was not set, is 2/);
});

it('leads to the body that it rests on', async () => {
  const shown = JSON.parse((await workspace.tieout(['breaks', 'show', id, '--json'])).out) as {
    evidence_sha256: string;
  };
  const listed = await workspace.tieout(['evidence', '--record', 'dear', '--json']);
  const bodies = JSON.parse(listed.out) as { sha256: string; kept: string }[];
  expect(bodies.map(({ kept }) => kept)).toEqual(['text', 'text']);
  expect(bodies.at(-1)?.sha256).toBe(shown.evidence_sha256);
  const printed = await workspace.ends(0, ['evidence', shown.evidence_sha256.slice(0, 12), '--record', 'dear']);
  expect(JSON.parse(printed.out)).toMatchObject({ id: 'dear', appliedFee: 6.26 });
});

it('proves the kept body by the hash of the printed text, with the token cut out', async () => {
  const { evidence_sha256: received } = JSON.parse((await workspace.tieout(['breaks', 'show', id, '--json'])).out) as {
    evidence_sha256: string;
  };
  const printed = await workspace.tieout(['evidence', received]);
  expect(await workspace.tieout(['evidence', received.toUpperCase()])).toEqual(printed);
  const hash = createHash('sha256').update(printed.out).digest('hex');
  const verified = await workspace.ends(0, ['evidence', received, '--verify', '--json']);
  expect(JSON.parse(verified.out)).toMatchObject({
    received_sha256: received,
    redacted_sha256: hash,
    found_sha256: hash,
    verdict: 'verified',
  });
  const inWords = await workspace.ends(0, ['evidence', hash, '--verify']);
  expect(inWords.out).toContain('of the bytes received, which had the view token in them');
  expect(inWords.out).toContain('`tieout db check` tells whether a hash on record was changed');

  const database = openSqliteFile(workspace.path('var', 'tieout.db'));
  database.exec(
    "update contents set redacted_sha256 = replace(redacted_sha256, substr(redacted_sha256, 1, 4), '0000')",
  );
  database.close();
  await workspace.ends(1, ['evidence', received, '--verify']);
});

it('refuses what there is no evidence of', async () => {
  const unknown = await workspace.tieout(['evidence', '--record', 'nobody']);
  expect([unknown.code, unknown.err]).toEqual([2, 'tieout: record nobody is not tracked; `tieout import` adds ids\n']);
  const other = await workspace.ends(2, ['evidence', 'ffffff', '--record', 'dear']);
  expect(other.err).toContain('no body has a hash that begins with ffffff');
});
