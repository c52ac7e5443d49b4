/** Rules of one's own, in modules that the settings name. */
import { afterAll, expect, it, vi } from 'vitest';
import { usePlugins } from '../../src/app/plugins.ts';
import { aPurchase } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

// Later files of this worker have the program's own rules alone.
afterAll(() => usePlugins([], '.'));

/** As docs/how-to/plugins.md has it. */
const OURS = `export default ({ Decimal, showMoney, verifiedState, apart, NOTHING_FOUND, RIGHTED }) => ({
  api: 1,
  name: 'our-rules',
  rules: [
    {
      code: 'HOST_CUT_TOO_HIGH',
      severity: 'low',
      title: 'The host cut is more than half of the fee',
      why: 'The partner contract allows at most half; the partner will claim the rest back.',
      action: 'Look up the contract of that date, and pay back the amount above the agreed share.',
      settledBy: RIGHTED,
      example: 'The host cut is 2.50 EUR; half of the fee of 4.76 EUR is 2.38 EUR.',
      check(input) {
        const state = verifiedState(input);
        if (state === null || state.hostFeeCut === null || state.appliedFee === null) return 'not-applicable';
        const most = state.appliedFee.times(Decimal.of(5n, 1));
        if (!state.hostFeeCut.greaterThan(most)) return NOTHING_FOUND;
        const currency = state.fiatCurrency;
        return [
          {
            field: 'host_fee_cut',
            ...apart(state.hostFeeCut, most),
            unit: 'money',
            currency,
            tolerance: Decimal.ZERO,
            explanation: \`The host cut is \${showMoney(state.hostFeeCut, currency)}; half of the fee is \${showMoney(most, currency)}.\`,
          },
        ];
      },
    },
  ],
});
`;

async function workspace(plugins: string, settings = ''): Promise<Workspace> {
  const place = open({
    settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off${settings} }\nplugins: ${plugins}\n`,
  });
  server.answers.set('a', { body: aPurchase({ id: '"a"', purchaseViewToken: undefined, hostFeeCut: '2.50' }) });
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

it('judging threads have its rules too', async () => {
  const place = await workspace('[./ours.mjs]\njudging: { threads: 2 }');
  place.write('ours.mjs', OURS);
  const ids = ['a', 'b', 'c'];
  for (const id of ids)
    server.answers.set(id, {
      body: aPurchase({
        id: `"${id}"`,
        purchaseViewToken: undefined,
        hostFeeCut: '2.50',
        finalTxHash: `"0x${id.repeat(64)}"`,
      }),
    });
  place.write('ids.csv', `kind,id,view_token\n${ids.map((id) => `purchase,${id},t\n`).join('')}`);
  const { code, err } = await night(place);
  expect([code, err]).toEqual([1, err]);
  expect(found(place).map(({ record_id }) => record_id)).toEqual(ids);
});

it.each([
  ['throws', "check() { throw new Error('no table of shares'); }", 'no table of shares'],
  ['answers a text', "check() { return 'broken'; }", 'its answer is no list of findings'],
  ['answers nothing', 'check() {}', 'its answer is no list of findings'],
  [
    'names no field',
    'check() { return [{ explanation: "x", expected: null, actual: null }]; }',
    'a finding without a field',
  ],
  [
    'has a binary number for money',
    'check() { return [{ field: "x", explanation: "x", expected: null, actual: null, difference: 0.1 }]; }',
    'figures of x are Decimals',
  ],
])('a rule that %s judges nothing, and says so; the others judge', async (_, check, why) => {
  const place = await workspace('[./bad.mjs]');
  place.write(
    'bad.mjs',
    `export default { api: 1, name: 'bad', rules: [{ code: 'BAD_RULE', severity: 'low', title: 't', why: 'w', action: 'a', settledBy: 's', example: 'e', ${check} }] };`,
  );
  server.answers.set('a', { body: aPurchase({ id: '"a"', purchaseViewToken: undefined, status: '"TELEPORTED"' }) });
  const { code, out } = await night(place);
  expect(code).toBe(1);
  expect(place.csv(SET, 'breaks').rows.map(({ rule }) => rule)).toEqual(['STATUS_UNKNOWN']);
  expect(place.csv(SET, 'records').rows[0]?.not_judged).toContain('BAD_RULE');
  expect(`${out}${JSON.stringify(place.manifest(SET))}`).toContain(`the plugin bad failed: ${why}`);
});

const RULE = `{ code: 'OUR_RULE', severity: 'low', title: 't', why: 'w', action: 'a', settledBy: 's', example: 'e', check: () => [] }`;

it.each([
  ['./missing.mjs', null, 'plugins[0] (./missing.mjs): ', 'cannot be read (ENOENT)'],
  ['no-such-package-here', null, 'plugins[0] (no-such-package-here): there is no such package', 'npm install'],
  ['./p.mjs', 'syntax error', 'plugins[0] (./p.mjs): ', 'cannot be loaded'],
  ['./p.mjs', 'export const a = 1;', 'plugins[0] (./p.mjs): ', 'is no plugin'],
  ['./p.mjs', `export default { api: 2, name: 'p' };`, 'it is for version 2 of the plugin API; this is 1', ''],
  ['./p.mjs', `export default { api: 1, name: 'P q' };`, 'the name P q is not of small letters', ''],
  ['./p.mjs', `export default { api: 1, name: 'p', rules: 4 };`, 'rules is a list', ''],
  ['./p.mjs', `export default { api: 1, name: 'p', rules: [${RULE}, ${RULE}] };`, 'rules[1] has the code OUR_RULE', ''],
  [
    './p.mjs',
    `export default { api: 1, name: 'p', rules: [${RULE.replace('OUR_RULE', 'SLIPPAGE')}] };`,
    "rules[0] has the code SLIPPAGE, which is another rule's",
    '',
  ],
  [
    './p.mjs',
    `export default { api: 1, name: 'p', rules: [${RULE.replace("'low'", "'bad'")}] };`,
    'OUR_RULE: severity is one of',
    '',
  ],
])('%s with %j is refused before anything runs', async (name, text, ...says) => {
  const place = await workspace(`[${name}]`);
  if (text !== null) place.write('p.mjs', text);
  const { code, err } = await place.tieout(['run']);
  expect(code).toBe(2);
  for (const each of says) expect(err).toContain(each);
  // Help needs no plugin.
  expect((await place.tieout(['run', '--help'])).code).toBe(0);
});

it('without plugins, nothing of an earlier command is left', async () => {
  const place = await workspace('[]');
  expect((await night(place)).code).toBe(0);
  expect(found(place)).toEqual([]);
  expect((place.manifest(SET) as { code_version: string }).code_version).toMatch(/^0\.1\.0\+[0-9a-f]{12}$/);
});
