/** Money at stake of several currencies, summed and sorted by `reports.currency`, with rates of a file or of published prices. */
import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

const RATES = 'date,currency,rate\n2026-11-01,USD,0.90\n2026-11-18,USD,0.80\n2099-01-01,USD,5\n';
const RULES = 'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n';
const RUN = ['run', '--date', '2026-11-20'];

/** A purchase whose total does not foot, by the fee: 1.00 too much of its currency. */
const overcharged = (id: string, fiatCurrency: string) => ({
  body: purchaseOf(id, { fiatCurrency: `"${fiatCurrency}"`, appliedFee: '9.76' }),
});

async function night(settings: string, rates = RATES) {
  const place = open({ settings: `${RULES}${settings}` });
  for (const [id, currency] of [
    ['a', 'EUR'],
    ['b', 'USD'],
    ['c', 'PLN'],
  ] as const)
    server.answers.set(id, overcharged(id, currency));
  place.write('rates.csv', rates);
  place.write('ids.csv', 'kind,id,view_token\npurchase,a,t\npurchase,b,t\npurchase,c,t\n');
  await place.tieout(['import', 'ids.csv']);
  return { place, run: await place.tieout(RUN) };
}

it('sums and sorts by the newest rate up to the date, names rate, source and day, and what has none', async () => {
  const { place, run } = await night('reports: { currency: CHF, formats: [csv, html], rates: rates.csv }\n');
  expect(run.out).toMatch(
    /together +4\.00 CHF lost by the Service \(at 1 USD = 0\.8 CHF of 2026-11-18, rates\.csv; without EUR, PLN: no rate\)/,
  );
  const set = place.path('out/2026-11-20/nightly-r1');
  const manifest = JSON.parse(readFileSync(`${set}/manifest.json`, 'utf8')) as Record<string, unknown>;
  expect(manifest.reporting).toEqual({
    currency: 'CHF',
    money_at_stake: [{ bearer: 'service', total: '-4' }],
    rates: [{ currency: 'USD', rate: '0.8', source: 'rates.csv', date: '2026-11-18' }],
    without_rate: ['EUR', 'PLN'],
  });
  expect(readFileSync(`${set}/report.html`, 'utf8')).toContain('Together 4.00 CHF lost by the Service');
  const currencies = (await place.tieout(['breaks', 'list', '--sort', 'money'])).out.match(/ (?:EUR|PLN|USD) /g);
  expect([...new Set(currencies?.map((each) => each.trim()))]).toEqual(['USD', 'EUR', 'PLN']);
});

it('sums each currency alone without the setting', async () => {
  const { place, run } = await night('');
  expect(run.out).not.toContain('together');
  expect(readFileSync(place.path('out/2026-11-20/nightly-r1/manifest.json'), 'utf8')).not.toContain('"reporting"');
});

it('says that no currency has a rate where no prices were captured', async () => {
  const { run } = await night('reports: { currency: PLN }\n');
  expect(run.out).toMatch(/together +5\.00 PLN lost by the Service \(without EUR, USD: no rate\)/);
});

it.each([
  ['date,currency\n', 'rates.csv:1: the header lacks rate'],
  ['date,currency,rate\n2026-11-01,USD,0.90\n18.11.2026,USD,0.80\n', 'rates.csv:3: date 18.11.2026: not a day'],
  ['date,currency,rate\n2026-11-01,dollar,0.90\n', 'rates.csv:2: currency dollar: not a code'],
  ['date,currency,rate\n2026-11-01,USD,0\n', 'rates.csv:2: rate 0: not a number above zero'],
  ['date,currency,rate\n2026-11-01,USD,-1\n', 'rates.csv:2: rate -1: not a number above zero'],
])('refuses the rates %j before anything is fetched, by file, line and value', async (rates, problem) => {
  const { run } = await night('reports: { currency: CHF, rates: rates.csv }\n', rates);
  expect(run.code).toBe(2);
  expect(run.err).toContain(problem);
  expect(run.err).toContain('columns date, currency and rate');
});
