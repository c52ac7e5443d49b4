/** Nights of an app that captures no quotes, or hardly any: a readable report, and one break of the run. */
import { expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();
const ids = Array.from({ length: 6 }, (_, n) => `p${n + 1}`);

/** Finished purchases, of 100 EUR of crypto each. */
function answer(wanted: readonly string[]): void {
  for (const id of wanted) {
    const body = purchaseOf(id, { status: '"RELEASED"' });
    server.answers.set(id, { body });
  }
}

async function workspace(): Promise<Workspace> {
  const place = open();
  answer(ids);
  place.write('ids.csv', `kind,id,view_token\n${ids.map((id) => `purchase,${id},t\n`).join('')}`);
  await place.ends(0, ['import', 'ids.csv']);
  return place;
}

const breaksOf = (place: Workspace, set: string) =>
  place
    .csv(set, 'breaks')
    .rows.map(({ kind, record_id, rule, severity, state }) => [kind, record_id, rule, severity, state]);

it('are matched, with one break of the run, which resolves when quotes come in', async () => {
  const place = await workspace();
  const run = (date: string, ...flags: string[]) => place.tieout(['run', '--date', date, ...flags]);
  const first = await run('2026-11-20');
  expect(first.code).toBe(1);
  const sentence =
    '6 of the 6 matched records have no quote: they were judged by published bounds and their own arithmetic, not against a promise.';
  expect(first.out).toContain(sentence);
  const manifest = place.manifest('2026-11-20/nightly-r1') as Record<string, unknown>;
  expect(manifest).toMatchObject({ verdicts: { matched: 6, break: 0 }, without_quote: sentence });
  const open = ['run', 'onramp', 'QUOTES_NOT_CAPTURED', 'low', 'open'];
  expect(breaksOf(place, '2026-11-20/nightly-r1')).toEqual([open]);
  expect((await run('2026-11-21', '--fail-on', 'new')).code).toBe(0);

  // Three of four new ones have a quote: at least half, so that the fourth is a finding of its own.
  const response = JSON.stringify({
    cryptoAssetSymbol: 'ETH_ETH',
    fiatCurrency: 'EUR',
    cryptoAmount: '40000000000000000',
    fiatValue: 104.76,
    paymentMethodType: 'CARD_PAYMENT',
    asset: { address: null, symbol: 'ETH', name: 'Ether', decimals: 18 },
    assetExchangeRate: 2500,
    assetExchangeRateEur: 2500,
    fiatExchangeRateEur: 1,
    baseServiceFee: 3.9,
    networkFee: 0.86,
    appliedFee: 4.76,
  });
  const linked = ['n1', 'n2', 'n3'];
  const request = '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":104.76}';
  const quote = (id: string) =>
    `{"quote_id":"q-${id}","direction":"onramp","api_version":"v1","captured_at":"2026-11-20T08:00:00Z","request":${request},"response":${response}}\n`;
  place.write('quotes.ndjson', linked.map(quote).join(''));
  answer([...linked, 'n4']);
  place.write(
    'links.csv',
    `kind,id,view_token,quote_id\n${linked.map((id) => `purchase,${id},t,q-${id}\n`).join('')}purchase,n4,t,\n`,
  );
  const imported = [
    await place.tieout(['quotes', 'import', 'quotes.ndjson']),
    await place.tieout(['import', 'links.csv']),
  ];
  expect(imported.map(({ code, out, err }) => [code, code === 0 ? '' : out + err])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect((await run('2026-11-22')).code).toBe(1);
  const rows = breaksOf(place, '2026-11-22/nightly-r1').filter(([, , rule]) => rule?.startsWith('QUOTE'));
  expect(rows).toEqual([
    ['purchase', 'n4', 'QUOTE_MISSING', 'low', 'open'],
    ['run', 'onramp', 'QUOTES_NOT_CAPTURED', 'low', 'resolved'],
  ]);

  // An audit of one record is judged by what the night counted: there one in four had none.
  await place.ends(1, ['audit', '--id', 'p6', '--date', '2026-11-22']);
  expect(breaksOf(place, '2026-11-22/audit-r1')).toEqual([['purchase', 'p6', 'QUOTE_MISSING', 'low', 'open']]);
});
