/** Escape sequences, marks of direction and halves of surrogate pairs in what the Service and the application write: in no output. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const HOSTILE = '\u001b]0;owned\u0007\u009b31m\u202egnp.exe\u2066\u061c';
const UNSEEN = /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

let server: RecordServer;
let place: Workspace;

beforeAll(async () => {
  const hostile = JSON.stringify(HOSTILE);
  server = await startRecordServer({
    a: { body: aPurchase({ id: '"a"', status: hostile, paymentMethodType: hostile }) },
    b: {
      body: aPurchase({
        id: '"b"',
        createdAt: '"2026-08-31T10:00:00.000Z"',
        finalTxHash: hostile,
        receiverAddress: hostile,
        status: '"RELEASED"',
        appliedFee: '6.26',
      }),
    },
    c: { body: aPurchase({ id: '"c"', status: '"\\ud800half"', paymentMethodType: '"\\udc00"', fiatValue: '999' }) },
    d: { body: `${HOSTILE} is not JSON`, status: 418 },
  });
  place = openWorkspace(server.url, { settings: 'reports: { formats: [csv, json, xlsx, html] }\n' });
  const lines = ['a', 'b', 'c', 'd'].map((id) =>
    JSON.stringify({
      kind: 'purchase',
      id,
      view_token: `token-of-record-${id}`,
      host_reference: `order\u202e-${id}\ud800`,
      ...(id === 'b' ? { quote_id: 'q-1' } : {}),
    }),
  );
  place.write('quotes.ndjson', aQuoteLine());
  await place.ends(0, ['quotes', 'import', 'quotes.ndjson', '-q']);
  await place.ends(0, ['import', '-', '-q'], { stdin: lines.join('\n') });
});
afterAll(async () => {
  place.remove();
  await server.close();
});

/** Texts of a file; the parts of a workbook unpacked. */
function textsOf(path: string): string[] {
  const bytes = readFileSync(path);
  if (!path.endsWith('.xlsx')) return [bytes.toString('utf8')];
  const parts: string[] = [];
  for (let at = bytes.indexOf('PK\u0003\u0004'); at >= 0; at = bytes.indexOf('PK\u0003\u0004', at + 4)) {
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    try {
      parts.push(inflateRawSync(bytes.subarray(start), { finishFlush: 2 }).toString('utf8'));
    } catch {
      // Not the begin of an entry, or one without text.
    }
  }
  return parts;
}

it('publishes every file without one of them, as sets that verify', async () => {
  const { code, out, err } = await place.tieout(['run', '--date', '2026-11-02', '-v']);
  expect([code, err]).toEqual([3, err]);
  expect(out + err).not.toMatch(UNSEEN);
  const set = place.path('out/2026-11-02/nightly-r1');
  for (const name of readdirSync(set)) {
    const path = join(set, name);
    if (!statSync(path).isFile()) continue;
    const texts = textsOf(path);
    expect([name, texts.length > 0]).toEqual([name, true]);
    for (const text of texts) expect([name, UNSEEN.exec(text)?.[0]]).toEqual([name, undefined]);
  }
  const rows = place.csv('2026-11-02/nightly-r1', 'records').rows;
  expect(rows[0]?.status).toBe('\\x1b]0;owned\\x07\\x9b31m\\u202egnp.exe\\u2066\\u061c');
  expect(rows[2]?.status).toBe('\ufffdhalf');
  await place.ends(0, ['verify', 'out']);
});

it('reports no change the next night where only one half of a pair was stored differently', async () => {
  await place.tieout(['run', '--date', '2026-11-03', '-q']);
  const { rows } = place.csv('2026-11-03/nightly-r1', 'status_changes');
  expect(rows.filter(({ record_id }) => record_id === 'c')).toEqual([]);
  const breaks = place.csv('2026-11-03/nightly-r1', 'breaks').rows.filter(({ record_id }) => record_id === 'c');
  expect(breaks.map(({ rule }) => rule)).not.toContain('FIELD_CHANGED');
});

it.each([
  [['breaks', 'list']],
  [['breaks', 'list', '--json']],
  [['breaks', 'export', '--all']],
  [['runs', 'show', 'nightly-2026-11-03-r1']],
  [['tracked', 'show', 'a', '--kind', 'purchase']],
  [['tracked', 'show', 'a', '--kind', 'purchase', '--json']],
])('%j prints none', async (args) => {
  const { code, out, err } = await place.tieout(args);
  expect([code, err]).toEqual([0, err]);
  expect(out.length).toBeGreaterThan(40);
  expect(out + err).not.toMatch(UNSEEN);
});

it('shows a break and its evidence without one', async () => {
  const list = await place.tieout(['breaks', 'list', '--json']);
  for (const [id] of list.out.matchAll(/(?<="break_id": ?")[0-9a-f]+/g)) {
    const { out } = await place.ends(0, ['breaks', 'show', id]);
    expect(out).not.toMatch(UNSEEN);
  }
});

it('opens a claim whose letter and table have none', async () => {
  const list = await place.tieout(['breaks', 'list', '--json']);
  const { breaks } = JSON.parse(list.out) as { breaks: { break_id: string; record_id: string; rule: string }[] };
  const id = breaks.find(({ record_id, rule }) => record_id === 'b' && rule === 'FEE_APPLIED_DIFFERS')?.break_id ?? '';
  const opened = await place.tieout([
    'claims',
    'open',
    id,
    '--title',
    `fees${HOSTILE}`,
    '--reason',
    'they differ',
    '--json',
  ]);
  expect([opened.code, opened.err]).toEqual([0, opened.err]);
  const [claim = ''] = /(?<="claim_id": ?")[^"]+/.exec(opened.out) ?? [];
  const claimed = JSON.parse((await place.tieout(['breaks', 'list', '--json'])).out) as {
    breaks: { break_id: string; claim_id: string | null }[];
  };
  expect(claimed.breaks.filter(({ claim_id }) => claim_id !== null)).toMatchObject([{ break_id: id, claim_id: claim }]);
  expect((await place.tieout(['breaks', 'list'])).out).toMatch(/\d EUR claimed /);
  const packed = await place.tieout(['claims', 'pack', claim, '--file', 'claim.zip']);
  expect([packed.code, opened.out, packed.err]).toEqual([0, opened.out, packed.err]);
  expect(opened.out + packed.out).not.toMatch(UNSEEN);
  expect((await place.ends(0, ['claims', 'show', claim])).out).not.toMatch(UNSEEN);
  // Its money was given up meanwhile: the letter cannot know, and whoever sends it is told.
  await place.ends(0, ['breaks', 'waive', id, '--reason', 'agreed', '-q']);
  expect((await place.ends(0, ['claims', 'show', claim])).out).toMatch(/waived +FEE_APPLIED_DIFFERS/);
  const again = await place.ends(0, ['claims', 'pack', claim, '--file', 'again.zip']);
  expect(again.out).toContain(`closed since: ${id.slice(0, 12)} is waived`);
  await place.ends(0, ['breaks', 'undo', id, '--reason', 'not agreed', '-q']);
});
