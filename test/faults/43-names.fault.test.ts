/** Names of Object.prototype wherever a name comes from outside. */
import { expect } from 'vitest';
import { openWorkspace } from '../e2e/support/workspace.ts';
import { aPurchase } from '../service/bodies.ts';
import { startRecordServer } from '../support/record-server.ts';
import { faultRow } from './harness/row.ts';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
const FIELDS = ['symbol', 'chain', 'paymentMethodType', 'status', 'fiatCurrency', 'finalTxHash', 'field'] as const;

function body(id: string, field: (typeof FIELDS)[number], name: string): string {
  const quoted = JSON.stringify(name);
  const asset = (symbol: string, chain: string) =>
    `{"symbol":${symbol},"chain":${chain},"decimals":18,"type":"NATIVE","address":null}`;
  if (field === 'symbol') return aPurchase({ id, asset: asset(quoted, '"ETH"') });
  if (field === 'chain') return aPurchase({ id, asset: asset('"ETH"', quoted) });
  if (field === 'field') return aPurchase({ id, [name]: '{"polluted":true}' });
  return aPurchase({ id, [field]: quoted });
}

faultRow(
  {
    number: 43,
    fault:
      '`__proto__`, `constructor`, `toString` or another name of Object.prototype in data of the Service or the application',
    how: 'each is the asset, chain, method, status, currency, transaction or a field name of one record, and a host reference; reports in every format and profile',
    mustHold: 'the night completes; its sets and their renderings verify; sums foot; no prototype has a new field',
  },
  async (row) => {
    const cases = FIELDS.flatMap((field) => NAMES.map((name) => ({ field, name })));
    const server = await startRecordServer(
      Object.fromEntries(cases.map(({ field, name }, n) => [`n${n}`, { body: body(`"n${n}"`, field, name) }])),
    );
    const place = openWorkspace(server.url, { settings: 'reports: { formats: [csv, json, xlsx, html] }\n' });
    try {
      const lines = cases.map(({ name }, n) =>
        JSON.stringify({ kind: 'purchase', id: `n${n}`, view_token: `token-of-record-${n}`, host_reference: name }),
      );
      expect((await place.process(['import', '-', '-q'], { stdin: lines.join('\n') })).code).toBe(0);
      const run = await place.process(['run', '--date', '2026-11-02', '-q']);
      expect([run.code, run.err]).toEqual([1, run.err]);
      let verified = 0;
      for (const profile of row.isShort ? ['excel-eu'] : ['standard', 'excel', 'excel-eu', 'google-sheets']) {
        const flags = ['--profile', profile, '--format', 'csv,json,xlsx,html', '--out', profile];
        expect((await place.process(['report', 'nightly-2026-11-02-r1', ...flags])).code).toBe(0);
        expect((await place.process(['verify', `${profile}/2026-11-02/nightly-r1`])).code).toBe(0);
        verified++;
      }
      const verify = await place.process(['verify', 'out']);
      expect([verify.code, verify.out]).toEqual([0, verify.out]);
      const { rows } = place.csv('2026-11-02/nightly-r1', 'records');
      const total = place
        .csv('2026-11-02/nightly-r1', 'totals')
        .rows.reduce((sum, each) => sum + Number(each.record_count), 0);
      row.measured('records', cases.length);
      row.measured('records counted in totals', total);
      row.measured('sets that verify', verified + 1);
      row.measured('prototypes with a new field', 'polluted' in {} ? 1 : 0);
      expect(rows.length).toBe(cases.length);
      expect(total).toBe(cases.length);
    } finally {
      place.remove();
      await server.close();
    }
  },
);
