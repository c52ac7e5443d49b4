/** Records that are legal JSON and hostile: numbers, dates, names and echoed tokens, each in one record of a night. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openWorkspace } from '../e2e/support/workspace.ts';
import { aPurchase } from '../service/bodies.ts';
import { startRecordServer } from '../support/record-server.ts';
import { faultRow } from './harness/row.ts';

const TOKEN = 'fz7Kq92xd2bdhtX/+1';
const AMOUNTS = ['fiatValue', 'assetExchangeRate', 'baseServiceFee', 'networkFee', 'appliedFee', 'hostFeeCut'];
const FIELDS = ['status', 'paymentMethodType', 'finalTxHash', 'receiverAddress'];
const OTHER_TOKEN = 'n4Wd81sLx20cYkeQ';
const FORMS = [
  TOKEN,
  encodeURIComponent(TOKEN),
  Buffer.from(TOKEN).toString('base64'),
  Buffer.from(TOKEN).toString('hex'),
  `secret=${encodeURIComponent(TOKEN)}`,
];
const asset = (symbol: string, chain: string) =>
  `{"symbol":${JSON.stringify(symbol)},"chain":${JSON.stringify(chain)},"decimals":18,"type":"NATIVE","address":null}`;

/** By what the record must be: `q` quarantined, `d` with DATE_IMPLAUSIBLE, `v` verified. */
function cases(): readonly (readonly [expected: 'q' | 'd' | 'v', fields: Record<string, string>])[] {
  return [
    ...AMOUNTS.flatMap((field) =>
      ['1e119', '1e120', '1e-119', '1e40', '1e-41', '9'.repeat(41)].map((value) => ['q', { [field]: value }] as const),
    ),
    ...AMOUNTS.flatMap((field) =>
      ['9'.repeat(40), '1e39', '1e-40', '-0', '0e0'].map((value) => ['v', { [field]: value }] as const),
    ),
    ...FIELDS.flatMap((field) => FORMS.map((value) => ['q', { [field]: JSON.stringify(value) }] as const)),
    ['q', { asset: asset(TOKEN, 'ETH') }],
    ['q', { asset: asset('ETH', TOKEN) }],
    ...['9999-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '2016-12-31T23:59:59Z', '2029-01-01T00:00:00Z'].flatMap(
      (date) => [
        ['d', { createdAt: JSON.stringify(date) }] as const,
        ['d', { updatedAt: JSON.stringify(date) }] as const,
      ],
    ),
    ['q', { createdAt: '"9999-12-31T23:59:59-12:00"' }],
    ...['__proto__', 'constructor', 'toString'].flatMap((name) => [
      ['v', { asset: asset(name, name) }] as const,
      ['v', { paymentMethodType: JSON.stringify(name) }] as const,
    ]),
    ...Array.from({ length: 100 }, () => ['v', {}] as const),
  ];
}

faultRow(
  {
    number: 39,
    fault:
      'hostile value in a record: number beyond the range of amounts, date outside every month, name of Object.prototype, echoed token in any encoding',
    how: 'a server answers each record of two nights with one of them; reports as CSV, workbook and page',
    mustHold:
      'no night stops; each record gets the specified outcome; the sets verify; no secret is printed or published',
  },
  async (row) => {
    const all = cases();
    const server = await startRecordServer({
      ...Object.fromEntries(all.map(([, fields], n) => [`r${n}`, { body: aPurchase({ id: `"r${n}"`, ...fields }) }])),
      // The token of other records, as an error code.
      missing: { status: 404, body: JSON.stringify({ code: `E_${TOKEN}`, statusCode: 404 }) },
    });
    const place = openWorkspace(server.url, { settings: 'reports: { formats: [csv, xlsx, html] }\n' });
    try {
      const ids = [
        ...all.map((_, n) => JSON.stringify({ kind: 'purchase', id: `r${n}`, view_token: TOKEN })),
        JSON.stringify({ kind: 'purchase', id: 'missing', view_token: OTHER_TOKEN }),
      ];
      const said = [await place.process(['import', '-', '-q'], { stdin: ids.join('\n') })];
      let nights = 0;
      for (const date of ['2026-11-02', '2026-11-03']) {
        const run = await place.process(['run', '--date', date]);
        said.push(run);
        expect(run.code, run.err).toBe(1);
        nights++;
      }
      const set = '2026-11-02/nightly-r1';
      const records = new Map(place.csv(set, 'records').rows.map((each) => [each.record_id, each]));
      const dated = new Set(
        place
          .csv(set, 'breaks')
          .rows.filter(({ rule }) => rule === 'DATE_IMPLAUSIBLE')
          .map(({ record_id }) => record_id),
      );
      const wrong = all.flatMap(([expected, fields], n) => {
        const isQuarantined = records.get(`r${n}`)?.verdict === 'quarantined';
        const found = isQuarantined ? 'q' : dated.has(`r${n}`) ? 'd' : 'v';
        return found === expected ? [] : [`${JSON.stringify(fields)}: ${found} and not ${expected}`];
      });
      said.push(await place.process(['verify', 'out']));
      const files = readdirSync(place.path('out'), { recursive: true, encoding: 'utf8' })
        .map((name) => join(place.path('out'), name))
        .filter((path) => statSync(path).isFile());
      const texts = [
        ...said.flatMap(({ out, err }) => [out, err]),
        ...files.map((path) => readFileSync(path, 'latin1')),
      ];
      const leaks = texts.filter((text) => FORMS.slice(0, 3).some((form) => text.includes(form))).length;
      row.measured('records', all.length);
      row.measured('nights completed', nights);
      row.measured('records with another outcome than specified', wrong.length);
      row.measured('sets that verify', said.at(-1)?.code === 0 ? nights : 0);
      row.measured('secrets printed or published', leaks);
      expect(wrong).toEqual([]);
      expect(said.at(-1)?.code, said.at(-1)?.out).toBe(0);
      expect(leaks).toBe(0);
    } finally {
      place.remove();
      await server.close();
    }
  },
);
