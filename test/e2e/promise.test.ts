/** The promise: what the app showed, and what the contract allows, from import to report. */
import { expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

/** A purchase of 100 EUR of crypto, with a fee of 4.76 EUR of which 0.86 EUR are the network's. */
function workspace(settings: string): Workspace {
  const place = open({ settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n${settings}` });
  for (const id of ['a1', 'a2', 'a3']) {
    const body = purchaseOf(id, { status: '"RELEASED"' });
    server.answers.set(id, { body });
  }
  return place;
}

const breaksOf = (place: Workspace) =>
  place
    .csv('2026-11-20/nightly-r1', 'breaks')
    .rows.map(({ record_id, rule, expected, actual, money_at_stake }) => [
      record_id,
      rule,
      expected,
      actual,
      money_at_stake,
    ]);

it('checks the charged amounts against those that the app showed', async () => {
  const place = workspace('');
  place.write(
    'ids.csv',
    'kind,id,view_token,shown_total,shown_fee\npurchase,a1,t,104.76,4.76\npurchase,a2,t,,3.90\npurchase,a3,t,,\n',
  );
  place.write('bad.csv', 'kind,id,view_token,shown_fee\npurchase,a4,t,EUR 4\n');
  await place.ends(0, ['import', 'ids.csv']);
  const refused = await place.tieout(['import', 'bad.csv']);
  expect([refused.code, refused.out + refused.err]).toEqual([
    1,
    expect.stringContaining('shown_fee must be an amount'),
  ]);
  await place.ends(1, ['run', '--date', '2026-11-20']);
  expect(breaksOf(place)).toEqual([['a2', 'CHARGED_DIFFERS_FROM_SHOWN', '3.9', '4.76', '0.86']]);
  const { not_applicable } = place.manifest('2026-11-20/nightly-r1') as { not_applicable: Record<string, number> };
  expect(not_applicable).toMatchObject({ CHARGED_DIFFERS_FROM_SHOWN: 1, FEE_DIFFERS_FROM_CONTRACT: 3 });
});

const list = (percent: string) =>
  `name: P\nversions:\n  - version: one\n    from: 2026-01-01\n    fees:\n      - { method: CARD_PAYMENT, percent: ${percent} }\n`;

it('checks the fee against the price list, says what another list would have found, and replays by the list of the night', async () => {
  const place = workspace('prices: { list: prices.yaml }\n');
  place.write('prices.yaml', list('3.9'));
  place.write('offered.yaml', list('2.9'));
  place.write('ids.csv', 'kind,id,view_token\npurchase,a1,t\n');
  await place.tieout(['import', 'ids.csv']);
  await place.ends(0, ['run', '--date', '2026-11-20']);

  const versions = place.csv('2026-11-20/nightly-r1', 'coverage').rows.map(({ contract_version }) => contract_version);
  expect(versions).toEqual(['one']);

  const simulated = ['prices', 'simulate', '--period', '2026-11', '--list'];
  await place.ends(0, [...simulated, 'prices.yaml']);
  const { code, out } = await place.tieout([...simulated, 'offered.yaml', '--format', 'csv']);
  expect(code).toBe(1);
  expect(out.split('\n')).toEqual([
    'business_month,fiat_currency,record_count,priced_count,unpriced_count,differing_count,charged_fee_total,contract_fee_total,' +
      'above_contract_total,below_contract_total,difference_total,in_force_differing_count,in_force_difference_total',
    '2026-11,EUR,1,1,0,1,4.76,3.76,1,0,1,0,0',
    '',
  ]);

  place.write('prices.yaml', list('2.9'));
  await place.ends(0, ['replay', 'nightly-2026-11-20-r1']);
  await place.ends(1, ['run', '--date', '2026-11-21']);

  place.write('prices.yaml', `${list('2.9')}      - { percent: 1, default: true, fixed: 2 }\n`);
  const checked = await place.tieout(['prices', 'check', 'prices.yaml']);
  const problem = 'prices.yaml:7: names amounts of money, and so must name their one currency';
  expect([checked.code, checked.out]).toEqual([2, `${problem}\n`]);
  const set = await place.tieout(['prices', 'check']);
  expect([set.code, set.out]).toEqual([2, `${problem}\n`]);
  const stopped = await place.tieout(['run', '--date', '2026-11-22']);
  expect([stopped.code, stopped.err]).toEqual([2, expect.stringContaining(problem)]);
});
