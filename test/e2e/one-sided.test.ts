/** Small moves of the price: each passes, and those that lie on one side are one break of their market. */
import { expect, test, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();
const HOUR = 3_600_000;
const at = (n: number, minutes: number) =>
  new Date(Date.parse('2026-11-02T10:00:00Z') + n * 7 * HOUR + minutes * 60_000).toISOString();

/** Purchases of 104.76 EUR by card, seven hours apart, quoted at 2,500 EUR four minutes before. @param rates of their executions */
async function night(rates: readonly string[]): Promise<Workspace> {
  const place = open();
  const quotes = rates.map((rate, n) => {
    const id = `p${String(n).padStart(2, '0')}`;
    const units = (100n * 10n ** 24n) / BigInt(Math.round(Number(rate) * 1_000_000));
    server.answers.set(id, {
      body: aPurchase({
        id: `"${id}"`,
        purchaseViewToken: undefined,
        assetExchangeRate: rate,
        assetExchangeRateEur: rate,
        cryptoAmount: `"${units}"`,
        createdAt: `"${at(n, 0)}"`,
        updatedAt: `"${at(n, 5)}"`,
        endTime: `"${at(n, 72 * 60)}"`,
        finalTxHash: `"0x${String(n + 10).repeat(32)}"`,
      }),
    });
    const request = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 104.76 };
    const response = {
      ...{ ...request, cryptoAmount: '40000000000000000', paymentMethodType: 'CARD_PAYMENT' },
      asset: { address: null, symbol: 'ETH', name: 'Ether', decimals: 18 },
      ...{ assetExchangeRate: 2500, assetExchangeRateEur: 2500, fiatExchangeRateEur: 1 },
      ...{ baseServiceFee: 3.9, networkFee: 0.86, appliedFee: 4.76 },
    };
    const quote = {
      quote_id: `q-${id}`,
      direction: 'onramp',
      api_version: 'v1',
      captured_at: at(n, -4),
      request,
      response,
    };
    return { id, quote };
  });
  place.write('quotes.ndjson', quotes.map(({ quote }) => `${JSON.stringify(quote)}\n`).join(''));
  place.write(
    'ids.csv',
    `kind,id,view_token,quote_id\n${quotes.map(({ id }) => `purchase,${id},t,q-${id}\n`).join('')}`,
  );
  await place.ends(0, ['quotes', 'import', 'quotes.ndjson']);
  await place.ends(0, ['import', 'ids.csv']);
  await place.tieout(['run', '--date', '2026-11-20']);
  return place;
}

const SET = '2026-11-20/nightly-r1';
const marketRows = (place: Workspace) => place.csv(SET, 'breaks').rows.filter(({ kind }) => kind === 'market');

test('twelve moves of half a percent against the user are one break of their market, the same in a replay', async () => {
  const place = await night(Array.from({ length: 12 }, () => '2512.5'));
  expect(place.csv(SET, 'breaks').rows).toHaveLength(1);
  expect(place.csv(SET, 'records').rows.every(({ verdict }) => verdict === 'matched')).toBe(true);
  expect(marketRows(place)).toMatchObject([
    {
      record_id: 'ETH_ETH/EUR/onramp',
      rule: 'SLIPPAGE_ONE_SIDED',
      severity: 'medium',
      field: 'exchange_rate',
      explanation:
        'Over 30 days 12 of 12 purchases of ETH_ETH for EUR, in 12 different hours, were executed against the user beyond the market: 0.5 % on average (99.9 % interval 0.5 to 0.5 %), 5.97 EUR in all.',
    },
  ]);
  const { rows } = place.csv(SET, 'slippage');
  const [row] = rows;
  expect(rows.reduce((sum, { price_effect: each }) => sum + Number(each), 0).toFixed(2)).toBe('5.97');
  expect(row).toMatchObject({ quoted_rate: '2500', actual_rate: '2512.5', move_percent: '0.5', fee_effect: '0' });
  await place.ends(0, ['replay', 'nightly-2026-11-20-r1']);
  await place.ends(0, ['verify', `out/${SET}`]);
  await place.ends(2, ['claims', 'open', '--rule', 'SLIPPAGE_ONE_SIDED', '--reason', 'x']);
});

test('moves on both sides, and moves in favour of the user, are none', async () => {
  const both = await night(Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? '2487.5' : '2512.5')));
  expect(marketRows(both)).toEqual([]);
});
