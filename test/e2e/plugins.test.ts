/** Rules of one's own, in modules that the settings name. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { usePlugins } from '../../src/app/plugins.ts';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

// Later files of this worker have the program's own rules alone.
afterAll(() => usePlugins([], '.'));

const GUIDE = readFileSync(new URL('../../docs/how-to/plugins.md', import.meta.url), 'utf8');

/** The example of the guide whose block is named so. */
function example(name: string): string {
  const [, text] = new RegExp(`^\`\`\`js ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(GUIDE) ?? [];
  if (text === undefined) throw new Error(`plugins.md has no block ${name}`);
  return text;
}

const OURS = example('our-rules.mjs');

async function workspace(plugins: string, settings = ''): Promise<Workspace> {
  const place = open({
    settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off${settings} }\nplugins: ${plugins}\n`,
  });
  server.answers.set('a', { body: purchaseOf('a', { hostFeeCut: '2.50' }) });
  place.write('ids.csv', 'kind,id,view_token\npurchase,a,t\n');
  return place;
}

const SET = '2026-11-20/nightly-r1';

async function night(place: Workspace) {
  await place.tieout(['import', 'ids.csv']);
  return place.tieout(['run', '--date', '2026-11-20']);
}

const found = (place: Workspace) => place.csv(SET, 'breaks').rows.filter(({ rule }) => rule === 'HOST_CUT_TOO_HIGH');

it('a rule of a plugin judges, has a severity in the settings, and is named with its hash in the manifest', async () => {
  const place = await workspace('[./ours.mjs]', ', HOST_CUT_TOO_HIGH: { severity: high }');
  place.write('ours.mjs', OURS);
  const first = await night(place);
  expect([first.code, first.err]).toEqual([1, first.err]);
  expect(found(place)).toMatchObject([
    { severity: 'high', field: 'host_fee_cut', expected: '2.38', actual: '2.5', difference: '0.12', currency: 'EUR' },
  ]);
  expect(found(place)[0]?.explanation).toBe('The host cut is 2.50 EUR; half of the fee is 2.38 EUR.');
  const { code_version, rule_set } = place.manifest(SET) as {
    code_version: string;
    rule_set: { rules: Record<string, string> };
  };
  expect(code_version).toMatch(/^0\.1\.0\+[0-9a-f]{12} our-rules@[0-9a-f]{12}$/);
  expect(rule_set.rules.HOST_CUT_TOO_HIGH).toBe('high');

  const same = await place.tieout(['replay', 'nightly-2026-11-20-r1', '--exact']);
  expect([same.code, same.err]).toEqual([0, same.err]);
  // Another text is another version, whatever it finds.
  place.write('ours.mjs', OURS.replace('half of the fee is', 'half of it is'));
  const other = await place.tieout(['replay', 'nightly-2026-11-20-r1', '--exact']);
  expect(other.code).not.toBe(0);
  expect(`${other.out}${other.err}`).toContain(code_version);
});

it('that is exchanged while it is loaded is refused: its hash would be that of another text', async () => {
  const place = await workspace('[./ours.mjs]');
  const swap = `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL(import.meta.url.split('?')[0]), '// another');\n`;
  place.write('ours.mjs', `${swap}${OURS}`);
  const { code, err } = await place.tieout(['import', 'ids.csv']);
  expect([code, err]).toEqual([2, expect.stringContaining('ours.mjs was changed while it was loaded')]);
});

it('that is exchanged before the threads load it judges nothing', async () => {
  const place = await workspace('[./ours.mjs]\njudging: { threads: 2 }');
  place.write('ours.mjs', OURS);
  const ids = ['a', 'b', 'c'];
  for (const id of ids) server.answers.set(id, { body: purchaseOf(id, { hostFeeCut: '2.50' }) });
  // By the time the night fetches, its own thread has the plugin.
  const body = purchaseOf('b');
  server.answers.set('b', {
    get body() {
      place.write('ours.mjs', `${OURS} `);
      return body;
    },
  });
  place.write('ids.csv', `kind,id,view_token\n${ids.map((id) => `purchase,${id},t\n`).join('')}`);
  const { code, err } = await night(place);
  expect([code, err]).toEqual([2, expect.stringContaining('a plugin was changed while its run was judged')]);
  expect(existsSync(place.path('out', SET))).toBe(false);
});

it('judging threads have its rules too', async () => {
  const place = await workspace('[./ours.mjs]\njudging: { threads: 2 }');
  place.write('ours.mjs', OURS);
  const ids = ['a', 'b', 'c'];
  for (const id of ids)
    server.answers.set(id, {
      body: purchaseOf(id, { hostFeeCut: '2.50', finalTxHash: `"0x${id.repeat(64)}"` }),
    });
  place.write('ids.csv', `kind,id,view_token\n${ids.map((id) => `purchase,${id},t\n`).join('')}`);
  const { code, err } = await night(place);
  expect([code, err]).toEqual([1, err]);
  expect(found(place).map(({ record_id }) => record_id)).toEqual(ids);
});

it.each([
  ['throws', "check() { throw new Error('no table of shares'); }", 'no table of shares'],
  [
    'names no field',
    'check() { return [{ explanation: "x", expected: null, actual: null }]; }',
    'a finding without a field',
  ],
])('a rule that %s judges nothing, and says so; the others judge', async (_, check, why) => {
  const place = await workspace('[./bad.mjs]');
  place.write(
    'bad.mjs',
    `export default { api: 1, name: 'bad', rules: [{ code: 'BAD_RULE', severity: 'low', title: 't', why: 'w', action: 'a', settledBy: 's', example: 'e', ${check} }] };`,
  );
  server.answers.set('a', { body: purchaseOf('a', { status: '"TELEPORTED"' }) });
  const { code, out } = await night(place);
  expect(code).toBe(1);
  expect(place.csv(SET, 'breaks').rows.map(({ rule }) => rule)).toEqual(['STATUS_UNKNOWN']);
  expect(place.csv(SET, 'records').rows[0]?.not_judged).toContain('BAD_RULE');
  expect(`${out}${JSON.stringify(place.manifest(SET))}`).toContain(`the plugin bad failed: ${why}`);
});

// What else is refused of a plugin is among the mistakes of mistakes.ts, and of a rule in test/rules/plugin-rules.test.ts.
it('one that is none is refused before anything runs, and help needs no plugin', async () => {
  const place = await workspace('[./p.mjs]');
  place.write('p.mjs', 'export const a = 1;');
  const { err } = await place.ends(2, ['run']);
  expect(err).toContain('plugins[0] (./p.mjs): ');
  await place.ends(0, ['run', '--help']);
});

it('a report of a plugin is a table of the set, with totals and a description', async () => {
  const place = await workspace('[./r.mjs]\njudging: { threads: 2 }');
  place.write('r.mjs', example('our-reports.mjs'));
  server.answers.set('a', { body: purchaseOf('a', { appliedFee: '3.76' }) });
  expect((await night(place)).code).toBeLessThan(2);
  const { header, rows } = place.csv(SET, 'our_discounts');
  expect(header).toEqual(['record_id', 'fiat_currency', 'discount']);
  expect(rows).toEqual([{ record_id: 'a', fiat_currency: 'EUR', discount: '1' }]);
  const { files } = place.manifest(SET) as { files: { name: string; totals: object }[] };
  expect(files.find(({ name }) => name === 'our_discounts.csv')?.totals).toEqual({ EUR: { discount: '1' } });
  const described = JSON.parse(readFileSync(join(place.folder, 'out', SET, 'datapackage.json'), 'utf8'));
  expect(
    described.resources.find(({ path }: { path: string }) => path === 'our_discounts.csv').schema.fields,
  ).toHaveLength(3);
  const replayed = await place.tieout(['replay', 'nightly-2026-11-20-r1', '--exact']);
  expect([replayed.code, replayed.err]).toEqual([0, replayed.err]);
  await place.ends(0, ['verify', 'out']);
});

it.each([
  ['throws', "rows() { throw new Error('no table of shares'); }", 'no table of shares'],
  ['answers a text', "rows: () => 'x'", 'its answer is not a list of rows'],
  ['has a binary number for money', "rows: () => [{ c: 'EUR', a: 0.1 }]", 'a is not a Decimal'],
  ['has money without a currency', 'rows: () => [{ c: null, a: Decimal.ZERO }]', 'a has no currency in c'],
  ['has an object for a text', 'rows: () => [{ c: {}, a: null }]', 'c is not a text'],
  ['fails later', "rows: async () => { throw new Error('later'); }", 'its answer is a promise, not a list of rows'],
  ['changes the record', 'rows: (record) => { record.state.fiatCurrency = null; return []; }', 'Cannot assign'],
])('a report that %s leaves out that record, and says so; the others are whole', async (_, rows, why) => {
  const place = await workspace('[./bad.mjs]');
  place.write(
    'bad.mjs',
    `export default ({ columnsOf, Decimal }) => ({ api: 1, name: 'bad', reports: [{ name: 'bad_report', description: 'd', columns: [columnsOf().text('c', ({ c }) => c, { description: 'd' }), columnsOf('c').amount('a', ({ a }) => a, { description: 'd' })], ${rows} }] });`,
  );
  const { code, err } = await night(place);
  expect([code, err]).toEqual([0, err]);
  expect(place.csv(SET, 'bad_report').rows).toEqual([]);
  expect(place.csv(SET, 'records').rows).toHaveLength(1);
  const { plugin_problems: problems } = place.manifest(SET) as { plugin_problems: string[] };
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`the plugin bad failed: bad_report.csv leaves out 1 record: ${why}`);
  expect(err).toContain('the plugin bad failed');
  await place.ends(0, ['verify', 'out']);
});

const SOURCE = 'sources: [{ name: crm, type: plugin, source: our-crm, options: { file: crm.json } }]';

it('a source of a plugin brings records; one that fails stops itself alone', async () => {
  const place = await workspace(`[./s.mjs]\n${SOURCE}`);
  place.write('s.mjs', example('our-sources.mjs'));
  place.write(
    'crm.json',
    JSON.stringify([
      { side: 'buy', ref: 'a', token: 't' },
      { side: 'buy', ref: 'b' },
    ]),
  );
  await place.ends(3, ['run', '--date', '2026-11-20']);
  expect(place.csv(SET, 'records').rows.map(({ record_id }) => record_id)).toEqual(['a']);
  expect(place.manifest(SET)).toMatchObject({
    sources: [{ name: 'crm', read: 2, accepted: 1, rejected: 1, failed: 0 }],
  });
  place.write('crm.json', 'null');
  const failed = await place.ends(3, ['run', '--date', '2026-11-21']);
  expect(failed.err).toContain('the plugin our-sources failed');
  expect(place.csv('2026-11-21/nightly-r1', 'records').rows).toHaveLength(1);
  place.write('s.mjs', `export default { api: 1, name: 'none' };`);
  const { code, err } = await place.tieout(['config', 'check']);
  expect([code, err]).toEqual([2, expect.stringContaining('"our-crm" is a source of no plugin in `plugins`')]);
});

it('a format of a plugin is a file of the set; one that fails is left out, by name', async () => {
  const place = await workspace('[./f.mjs]');
  place.write('f.mjs', example('our-formats.mjs'));
  server.answers.set('a', { body: purchaseOf('a', { status: '"TELEPORTED"' }) });
  const { code, err } = await night(place);
  expect([code, err]).toEqual([1, err]);
  const text = readFileSync(join(place.folder, 'out', SET, 'breaks.md'), 'utf8');
  expect(text).toMatch(/^# Breaks of 2026-11-20\n- a: .*TELEPORTED/);
  await place.ends(0, ['verify', 'out']);
  place.write(
    'f.mjs',
    `export default { api: 1, name: 'bad', formats: [{ file: 'x.txt', async *write() { yield 'half'; throw new Error('full moon'); } }] };`,
  );
  await place.ends(1, ['run', '--date', '2026-11-21']);
  const set = '2026-11-21/nightly-r1';
  expect(existsSync(join(place.folder, 'out', set, 'x.txt'))).toBe(false);
  expect(place.manifest(set)).toMatchObject({
    plugin_problems: ['the plugin bad failed: x.txt is left out: full moon'],
  });
  await place.ends(0, ['verify', 'out']);
});

it('without plugins, nothing of an earlier command is left', async () => {
  const place = await workspace('[]');
  expect((await night(place)).code).toBe(0);
  expect(found(place)).toEqual([]);
  expect((place.manifest(SET) as { code_version: string }).code_version).toMatch(/^0\.1\.0\+[0-9a-f]{12}$/);
});
