/** The host's revenue: accrued by records, paid by statements, posted in the books; its breaks live like those of records. */
import { expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

/** Host cuts: July 3.00, August 100.00, September 40.25 and 59.75 EUR, October 70.00 EUR. */
async function workspace(settings = ''): Promise<Workspace> {
  const place = open({
    settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n${settings}`,
  });
  // 4 ETH each: the whole fee is above every cut.
  const large = {
    cryptoAmount: '"4000000000000000000"',
    fiatValue: '10390.86',
    baseServiceFee: '390',
    appliedFee: '390.86',
  };
  const cuts = {
    j1: ['2025-07', '3.00'],
    a1: ['2025-08', '100.00'],
    s1: ['2025-09', '40.25'],
    s2: ['2025-09', '59.75'],
    o1: ['2025-10', '70.00'],
  };
  for (const [id, [month, cut]] of Object.entries(cuts)) {
    const [createdAt, updatedAt] = [`"${month}-15T10:00:00.000Z"`, `"${month}-15T10:20:00.000Z"`];
    const dates = { createdAt, updatedAt };
    const body = purchaseOf(id, { status: '"RELEASED"', ...large, hostFeeCut: cut, ...dates });
    server.answers.set(id, { body });
  }
  place.write(
    'ids.csv',
    `kind,id,view_token\n${Object.keys(cuts)
      .map((id) => `purchase,${id},t\n`)
      .join('')}`,
  );
  await place.tieout(['import', 'ids.csv']);
  return place;
}

const set = (date: string) => `${date}/nightly-r1`;
const breaksOf = (place: Workspace, date: string) =>
  place
    .csv(set(date), 'breaks')
    .rows.map(({ kind, record_id, rule, state, expected, actual, difference, currency, unit }) =>
      [kind, record_id, rule, state, expected, actual, difference, currency, unit].join(' '),
    );
const legsOf = (place: Workspace, date: string) =>
  place.csv(set(date), 'revenue_legs').rows.map((row) => Object.values(row).slice(0, 8).join('|'));

it('without a statement, nothing of it is in a set', async () => {
  const place = await workspace();
  await place.ends(0, ['run', '--date', '2025-11-20']);
  const { files } = place.manifest(set('2025-11-20')) as { files: { name: string }[] };
  expect(files.map(({ name }) => name)).not.toContain('payouts.csv');
});

it('lists a share that its partner did not round as it is stored', async () => {
  const place = await workspace('');
  place.write('partner.csv', 'date,amount,currency\n2025-09-05,1.005,EUR\n2025-09-06,2.5,EUR\n2025-09-07,300,JPY\n');
  await place.ends(0, ['payouts', 'import', 'partner.csv']);
  const { out } = await place.tieout(['payouts', 'list']);
  expect([...out.matchAll(/ ([\d.]+) +(?:EUR|JPY) /g)].map(([, amount]) => amount)).toEqual(['1.005', '2.50', '300']);
});

it('three legs tie to the cent; an overdue, differing or unexplained payment is a break with a life cycle', async () => {
  const place = await workspace('evidence: { payouts: { minimum: { default: 5 }, posted: posted.csv } }\n');
  place.write('posted.csv', 'month,currency,amount\n2025-08,EUR,103.00\n2025-09,EUR,99.99\n');
  // August pays July too, which was below the least payout. September: paid in dollars, 2.00 of them kept back, and ten cents short.
  place.write(
    'partner.csv',
    'date,amount,currency,reference,withheld,settled_currency,rate\n' +
      '2025-09-05,60.00,EUR,REV 2025-08,,,\n2025-09-06,43.00,EUR,rest 2025-08,,,\n' +
      '2025-10-05,107.89,USD,REV 2025-09,2.00,EUR,1.1\n2025-11-02,12.34,EUR,BONUS,,,\n',
  );
  expect((await place.tieout(['payouts', 'import', 'partner.csv'])).out).toContain('4 added');

  // October is due by the first of December, and is no break before.
  await place.ends(1, ['run', '--date', '2025-11-20']);
  const bonus = place.csv(set('2025-11-20'), 'payouts').rows.find(({ reference }) => reference === 'BONUS')?.payout_id;
  expect(breaksOf(place, '2025-11-20').sort()).toEqual(
    [
      'payout 2025-09-EUR PAYOUT_DIFFERS open 100 99.9 -0.1 EUR money',
      `payout ${bonus} PAYOUT_UNEXPLAINED open  12.34 12.34 EUR money`,
    ].sort(),
  );
  expect(legsOf(place, '2025-11-20')).toEqual([
    '2025-07|EUR|3|||3||3',
    '2025-08|EUR|100|103|103|-3|0|',
    '2025-09|EUR|100|99.9|99.99|0.1|-0.09|',
    '2025-10|EUR|70|||||',
  ]);
  const payments = place.csv(set('2025-11-20'), 'payouts').rows;
  expect(
    payments.map((row) => [
      row.amount,
      row.currency,
      row.period,
      row.matched_amount,
      row.matched_currency,
      row.difference,
      row.state,
    ]),
  ).toEqual([
    ['60', 'EUR', '2025-08', '60', 'EUR', '', 'matched'],
    ['43', 'EUR', '2025-08', '43', 'EUR', '0', 'matched'],
    ['107.89', 'USD', '2025-09', '99.9', 'EUR', '-0.1', 'differs'],
    ['12.34', 'EUR', '', '', '', '', 'unexplained'],
  ]);

  // The work list has them, and a decision holds.
  const { breaks: listed } = JSON.parse((await place.tieout(['breaks', 'list', '--json'])).out) as {
    breaks: { break_id: string; rule: string }[];
  };
  expect(listed.map(({ rule }) => rule).sort()).toEqual(['PAYOUT_DIFFERS', 'PAYOUT_UNEXPLAINED']);
  const unexplained = listed.find(({ rule }) => rule === 'PAYOUT_UNEXPLAINED')?.break_id ?? '';
  const told = await place.tieout(['breaks', 'show', unexplained]);
  expect([told.code, told.out]).toEqual([0, expect.stringContaining('The payment of 12.34 EUR on 2025-11-02')]);
  await place.ends(0, ['breaks', 'waive', unexplained, '--reason', 'a bonus', '--by', 'ann']);

  // The rest of September comes; October does not.
  place.write('rest.csv', 'date,amount,currency,period\n2025-12-01,0.10,EUR,2025-09\n');
  await place.tieout(['payouts', 'import', 'rest.csv']);
  await place.ends(1, ['run', '--date', '2025-12-05']);
  expect(breaksOf(place, '2025-12-05').sort()).toEqual(
    [
      'payout 2025-09-EUR PAYOUT_DIFFERS resolved 100 99.9 -0.1 EUR money',
      'payout 2025-10-EUR PAYOUT_MISSING open 70  -70 EUR money',
      `payout ${bonus} PAYOUT_UNEXPLAINED waived  12.34 12.34 EUR money`,
    ].sort(),
  );

  // The page and the workbook show the three legs.
  await place.tieout(['report', 'nightly-2025-11-20-r1', '--format', 'html,xlsx', '--out', 'rendered']);
  const page = place.read('rendered/2025-11-20/nightly-r1/report.html');
  expect(page).toContain('accrued, paid, posted');
  expect(page).toContain('PAYOUT_DIFFERS');

  // A replay of the first night knows what it knew.
  await place.ends(0, ['replay', 'nightly-2025-11-20-r1']);
  await place.ends(0, ['verify', 'out']);
});

it('the months are those of the release, in the time zone that the partner reports in', async () => {
  // Created in August; released at 02:00 UTC of 1 October, which is still September in New York.
  const late = { createdAt: '"2025-08-31T10:00:00.000Z"', updatedAt: '"2025-10-01T02:00:00.000Z"' };
  const months = async (settings: string) => {
    const place = await workspace(settings);
    const body = {
      cryptoAmount: '"4000000000000000000"',
      fiatValue: '10390.86',
      baseServiceFee: '390',
      appliedFee: '390.86',
    };
    server.answers.set('s2', {
      body: purchaseOf('s2', { status: '"RELEASED"', ...body, hostFeeCut: '59.75', ...late }),
    });
    await place.tieout(['run', '--date', '2025-11-20']);
    const { legs } = JSON.parse((await place.tieout(['payouts', 'match', '--date', '2025-11-20', '--json'])).out) as {
      legs: { business_month: string; accrued_total: string }[];
    };
    return legs.map((leg) => `${leg.business_month} ${leg.accrued_total}`);
  };
  expect(await months('')).toEqual(['2025-07 3', '2025-08 100', '2025-09 40.25', '2025-10 129.75']);
  expect(await months('evidence: { payouts: { timezone: America/New_York } }\n')).toEqual([
    '2025-07 3',
    '2025-08 100',
    '2025-09 100',
    '2025-10 70',
  ]);
  expect(await months('books: { revenueMonth: created }\n')).toEqual([
    '2025-07 3',
    '2025-08 159.75',
    '2025-09 40.25',
    '2025-10 70',
  ]);
});

it('a closed month and its pack have its legs and payments as they were known at the close, and a break says by when it was due', async () => {
  const place = await workspace();
  place.write(
    'partner.csv',
    'date,amount,currency,reference\n2025-09-05,60.00,EUR,REV 2025-08\n2025-10-05,99.90,EUR,REV 2025-09\n2025-11-02,12.34,EUR,BONUS\n',
  );
  await place.tieout(['payouts', 'import', 'partner.csv']);
  await place.ends(1, ['run', '--date', '2025-11-20']);
  const due = place.csv(set('2025-11-20'), 'breaks').rows.map(({ rule, due_date }) => `${rule} ${due_date}`);
  expect(due.sort()).toEqual([
    'PAYOUT_DIFFERS 2025-10-01',
    'PAYOUT_DIFFERS 2025-10-31',
    'PAYOUT_MISSING 2025-08-31',
    'PAYOUT_UNEXPLAINED ',
  ]);

  expect((await place.tieout(['period', 'close', '2025-09', '--by', 'Ann', '--accept-open', 'ten cents'])).code).toBe(
    0,
  );
  const sealed = ['revenue_legs', 'payouts'].map((name) => place.read(`out/periods/2025-09/${name}.csv`));
  const legs = '2025-09,EUR,100,99.9,,0.1,,,2025-10-31,PAYOUT_DIFFERS,0\n';
  expect(sealed[0]?.split('\n').slice(1).join('\n')).toBe(legs);
  const payments = place.csv('periods/2025-09', 'payouts').rows;
  expect(payments.map(({ run_id, amount, state }) => [run_id, amount, state])).toEqual([
    ['period-2025-09', '99.9', 'differs'],
  ]);

  // What comes later is not in it.
  place.write('rest.csv', 'date,amount,currency,period\n2025-12-01,0.10,EUR,2025-09\n');
  await place.tieout(['payouts', 'import', 'rest.csv']);
  await place.tieout(['run', '--date', '2025-12-05']);
  await place.ends(0, ['report', '2025-09', '--out', 'board']);
  expect(['revenue_legs', 'payouts'].map((name) => place.read(`board/periods/2025-09/${name}.csv`))).toEqual(sealed);
  // A delta states the known facts of the month: the rest was paid. No record differs, and nothing differs twice.
  const delta = await place.tieout(['period', 'delta', '2025-09', '--by', 'Ann']);
  expect([delta.code, delta.err]).toEqual([0, '']);
  const now = '2025-09,EUR,100,100,,0,,,2025-10-31,,0\n';
  expect(place.read('out/periods/2025-09-delta-001/revenue_legs.csv').split('\n').slice(1).join('\n')).toBe(now);
  expect(
    place.csv('periods/2025-09-delta-001', 'payouts').rows.map(({ amount, state }) => `${amount} ${state}`),
  ).toEqual(['99.9 matched', '0.1 matched']);
  expect(place.csv('periods/2025-09-delta-001', 'records').rows).toEqual([]);
  await place.ends(2, ['period', 'delta', '2025-09', '--by', 'Ann']);

  const { folder, page } = JSON.parse((await place.tieout(['period', 'pack', '2025-09', '--json'])).out) as {
    folder: string;
    page: string;
  };
  expect(place.read(`${folder}/revenue_legs.csv`)).toBe(sealed[0]);
  expect(place.read(`${folder}/payouts.csv`).split('\n')[1]).toContain('month-end-2025-09-r1,2025-09-30,');
  expect(place.read(page)).toContain('Host revenue: accrued, paid, posted');
  await place.ends(0, ['verify', 'out']);
});

it('a night that stops at an unreadable file of the books is resumed; archived, it is judged from the archive', async () => {
  const place = await workspace('evidence: { payouts: { posted: posted.csv } }\n');
  place.write('partner.csv', 'date,amount,currency,reference\n2025-09-05,60.00,EUR,REV 2025-08\n');
  await place.tieout(['payouts', 'import', 'partner.csv']);
  const stopped = await place.tieout(['run', '--date', '2025-11-20']);
  expect([stopped.code, stopped.err]).toEqual([2, expect.stringContaining('posted.csv: there is no such file')]);
  place.write('posted.csv', 'month,currency,amount\n2025-08,EUR,60.00\n');
  await place.ends(1, ['run', 'nightly', '--resume']);
  expect(breaksOf(place, '2025-11-20').filter((each) => each.includes('2025-08-EUR'))).toHaveLength(1);
  await place.tieout(['run', '--date', '2025-11-21']);

  await place.ends(0, ['db', 'archive', '--before', '2025-11-22', '--file', 'old.ndjson']);
  const replayed = await place.tieout(['replay', 'nightly-2025-11-21-r1', '--archive', 'old.ndjson']);
  expect([replayed.code, replayed.err]).toEqual([0, replayed.err]);
});

it('a line of the books that cannot be read stops no night: it is named, its month has no total, and the night is incomplete', async () => {
  const place = await workspace('evidence: { payouts: { posted: posted.csv } }\n');
  place.write('partner.csv', 'date,amount,currency,reference\n2025-09-05,60.00,EUR,REV 2025-08\n');
  await place.tieout(['payouts', 'import', 'partner.csv']);
  place.write(
    'posted.csv',
    'month,currency,amount\n2025-08,EUR,60.00\n2999-06,EUR,1\n2025-09,EUR,99\n2025-09,EUR,1O.00\n2025-09,Euro,1\n',
  );
  const { code, out, err } = await place.tieout(['run', '--date', '2025-11-20']);
  expect(code).toBe(3);
  for (const says of [
    'posted.csv:3: month 2999-06: write it as 2026-10, from 2017 on and not far ahead',
    'posted.csv:5: amount 1O.00: not a plain number; write it as 1234.56',
    'posted.csv:6: currency Euro: write its ISO 4217 code',
  ])
    expect(`${out}${err}`).toContain(says);
  const { rows } = place.csv(set('2025-11-20'), 'revenue_legs');
  expect(rows.map((row) => [row.business_month, row.posted_total]).slice(0, 3)).toEqual([
    ['2025-07', ''],
    ['2025-08', '60'],
    ['2025-09', ''],
  ]);
  const { sources } = JSON.parse(place.read(`out/${set('2025-11-20')}/manifest.json`));
  expect(sources).toContainEqual({ name: 'evidence.payouts.posted', read: 5, accepted: 2, rejected: 3, failed: 0 });
});

it('lines of a statement have types: a refund is taken back from its month, an invoice or a bonus settles no revenue', async () => {
  const place = await workspace('evidence: { payouts: { minimum: { default: 5 } } }\n');
  place.write(
    'partner.csv',
    'date,amount,currency,type,period,id\n' +
      // August pays July too. One line of it is refunded again: 118.00 − 15.00.
      '2025-09-05,118.00,EUR,share,2025-08,p1\n2025-09-05,-15.00,EUR,,2025-08,p2\n' +
      '2025-10-05,100.00,EUR,,2025-09,p3\n2025-10-05,50.00,EUR,Invoice,,p4\n' +
      '2025-10-05,25.00,EUR,bonus,,p5\n2025-10-05,0.00,EUR,share,,p6\n2025-10-05,-3.00,EUR,share,,p7\n2025-10-05,3.00,EUR,gift,,p8\n',
  );
  const { out, err, code } = await place.tieout(['payouts', 'import', 'partner.csv']);
  expect(code).toBe(1);
  expect(`${out}${err}`).toContain('partner.csv:7');
  expect(`${out}${err}`).toContain('a share is more than nothing; what is taken back is a clawback');
  expect(`${out}${err}`).toContain('type gift: write one of share, clawback, invoice');
  await place.ends(0, ['run', '--date', '2025-11-20']);
  expect(breaksOf(place, '2025-11-20')).toEqual([]);
  const rows = place.csv(set('2025-11-20'), 'payouts').rows;
  expect(
    rows.map(({ amount, type, period, matched_amount, state }) => [amount, type, period, matched_amount, state]).sort(),
  ).toEqual(
    [
      ['118', 'share', '2025-08', '118', 'matched'],
      ['-15', 'clawback', '2025-08', '-15', 'matched'],
      ['100', 'share', '2025-09', '100', 'matched'],
      ['-50', 'invoice', '', '', 'other'],
      ['25', 'bonus', '', '', 'other'],
    ].sort(),
  );
  expect(legsOf(place, '2025-11-20').slice(1, 3)).toEqual(['2025-08|EUR|100|103||-3||', '2025-09|EUR|100|100||0||']);
});
