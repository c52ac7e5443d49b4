/** Partners as they pay: several currencies in one coin, thresholds over everything, refunds, lines; each scene by its own arithmetic. */
import { describe, expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

/** Euros for one unit: a euro is 1.10 dollars, a pound 1.338. */
const EUR_RATE: Readonly<Record<string, string>> = { EUR: '1', USD: '0.909090909', GBP: '1.216363636' };

interface Share {
  id: string;
  released: string;
  cut: string;
  currency?: string;
  created?: string;
}

/** Large enough for its fee to be above every share: 4 ETH at 2,500. */
function serve(
  { id, released, cut, currency = 'EUR', created = released }: Share,
  over: Record<string, string | undefined> = {},
): void {
  const body = purchaseOf(id, {
    status: '"RELEASED"',
    cryptoAmount: '"4000000000000000000"',
    fiatValue: '10390.86',
    baseServiceFee: '390',
    appliedFee: '390.86',
    fiatCurrency: `"${currency}"`,
    fiatExchangeRateEur: EUR_RATE[currency],
    hostFeeCut: cut,
    createdAt: `"${created}.000Z"`,
    updatedAt: `"${released}.000Z"`,
    ...over,
  });
  server.answers.set(id, { body });
}

const RULES =
  'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, RATE_OUT_OF_LINE: off, METHOD_UNSUPPORTED: off, AMOUNT_OUT_OF_LIMITS: off, TX_REUSED: off }\n';

async function partner(shares: readonly Share[], payouts = ''): Promise<Workspace> {
  const place = open({ settings: `${RULES}evidence: { payouts: { expected: always${payouts} } }\n` });
  for (const share of shares) serve(share);
  place.write('ids.csv', `kind,id,view_token\n${shares.map(({ id }) => `purchase,${id},t\n`).join('')}`);
  await place.tieout(['import', 'ids.csv', '-q']);
  await place.tieout(['run', '--date', '2025-11-01', '--fail-on', 'none', '-q']);
  return place;
}

type Row = Record<string, string | null>;
interface Matched {
  legs: Row[];
  payouts: Row[];
  findings: Row[];
  revenue_reconciliation: Row[];
  payout_lines: Row[];
}

async function matched(
  place: Workspace,
  statement: string | null,
  date: string,
  ...flags: string[]
): Promise<Matched & { code: number | null }> {
  if (statement !== null) {
    place.write('statement.csv', statement);
    const { code, out } = await place.tieout(['payouts', 'import', 'statement.csv', ...flags]);
    expect([code, out]).toEqual([0, out]);
  }
  const { code, out } = await place.tieout(['payouts', 'match', '--date', date, '--json']);
  return { code, ...(JSON.parse(out) as Matched) };
}

/** Rows foot, and each opens with what the one before of its currency closed. */
function balances(rows: readonly Row[]): string[] {
  const cents = (cell: string | null | undefined) => Math.round(Number(cell ?? 0) * 100);
  const before = new Map<string, number>();
  return rows.map((row) => {
    const { business_month, currency = '', opening_balance, closing_balance } = row;
    const sum = cents(opening_balance) + cents(row.earned_total) - cents(row.paid_total);
    expect(sum + cents(row.clawback_total) + cents(row.exchange_total)).toBe(cents(closing_balance));
    expect(cents(row.days_0_30) + cents(row.days_31_60) + cents(row.days_61_90) + cents(row.days_over_90)).toBe(
      cents(closing_balance),
    );
    expect(cents(opening_balance)).toBe(before.get(currency ?? '') ?? 0);
    before.set(currency ?? '', cents(closing_balance));
    return `${business_month} ${currency} ${closing_balance}`;
  });
}

const THREE: readonly Share[] = [
  { id: 'e1', released: '2025-10-05T10:00:00', cut: '350.00' },
  { id: 'e2', released: '2025-10-25T10:00:00', cut: '250.00' },
  { id: 'g1', released: '2025-10-15T10:00:00', cut: '300.00', currency: 'GBP' },
  { id: 'u1', released: '2025-10-16T10:00:00', cut: '250.00', currency: 'USD' },
];

it('nets in a span what it had paid too much for the month before, and no month differs', async () => {
  const shares = [
    { id: 's', released: '2025-08-10T10:00:00', cut: '212.40' },
    { id: 'o', released: '2025-09-10T10:00:00', cut: '628.40' },
    { id: 'n', released: '2025-10-10T10:00:00', cut: '66.70' },
  ];
  const place = await partner(shares);
  const rows = '2025-09-25,307.50,EUR,2025-08,p1\n2025-11-25,600.00,EUR,2025-09/2025-10,p2\n';
  const {
    findings,
    legs,
    revenue_reconciliation: sheet,
  } = await matched(place, `date,amount,currency,period,id\n${rows}`, '2025-11-26');
  expect(findings).toEqual([]);
  expect(legs.map(({ business_month, paid_total }) => `${business_month} ${paid_total}`)).toEqual([
    '2025-08 307.5',
    '2025-09 533.3',
    '2025-10 66.7',
  ]);
  expect(balances(sheet).at(-1)).toBe('2025-10 EUR 0');
});

describe('one payment in a coin for three currencies', () => {
  it.each([
    ['with its rates', 'settles\n2025-11-25,1311.40,USDC,2025-10,p1,600 EUR @ 1.10 + 300 GBP @ 1.338 + 250 USD\n', '0'],
    [
      'of which a part is lost in exchange',
      'settles\n2025-11-25,1309.00,USDC,2025-10,p1,600 EUR @ 1.10 + 300 GBP @ 1.338 + 250 USD\n',
      '-2.4',
    ],
    ['without a word about them', 'reference\n2025-11-25,1311.40,USDC,2025-10,p1,payout\n', '0'],
    ['short by the rates of its day', 'reference\n2025-11-25,1305.15,USDC,2025-10,p1,payout\n', '-6.25'],
  ])('%s, settles all three, and what rates leave is a line of its own', async (_what, rows, exchange) => {
    const place = await partner(THREE);
    const {
      code,
      findings,
      legs,
      revenue_reconciliation: sheet,
      payouts,
    } = await matched(place, `date,amount,currency,period,id,${rows}`, '2025-12-20');
    expect([code, findings]).toEqual([0, []]);
    expect(legs.map(({ currency, accrued_total, paid_total }) => [currency, accrued_total, paid_total])).toEqual([
      ['EUR', '600', '600'],
      ['GBP', '300', '300'],
      ['USD', '250', '250'],
    ]);
    const sum = payouts.reduce((total, row) => total + Number(row.exchange_amount ?? 0), 0);
    expect(sum.toFixed(2)).toBe(Number(exchange).toFixed(2));
    expect(balances(sheet)).toEqual(['2025-10 EUR 0', '2025-10 GBP 0', '2025-10 USD 0']);
    expect(payouts.map(({ settles }) => settles).join(' ')).toMatch(/2025-10 600 EUR at 1\.1/);
  });

  it('settles two of them where the third was paid by itself, and short', async () => {
    const place = await partner(THREE);
    const rows = '2025-11-24,550.00,EUR,2025-10,p1\n2025-11-25,651.40,USDC,2025-10,p2\n';
    const { findings, legs } = await matched(place, `date,amount,currency,period,id\n${rows}`, '2025-12-20');
    expect(findings).toEqual([{ rule: 'PAYOUT_DIFFERS', month: '2025-10', currency: 'EUR' }]);
    expect(legs.map(({ currency, paid_total }) => [currency, paid_total])).toEqual([
      ['EUR', '550'],
      ['GBP', '300'],
      ['USD', '250'],
    ]);
  });

  it('is what it was when rates have moved since', async () => {
    const place = await partner(THREE);
    const rows = 'date,amount,currency,period\n2025-11-25,1311.40,USDC,2025-10\n';
    expect((await matched(place, rows, '2025-12-20')).findings).toEqual([]);
    serve(
      { id: 'later', released: '2026-02-10T10:00:00', cut: '5.00', currency: 'GBP' },
      { fiatExchangeRateEur: '1.4' },
    );
    place.write('later.csv', 'kind,id,view_token\npurchase,later,t\n');
    await place.tieout(['import', 'later.csv', '-q']);
    await place.tieout(['run', '--date', '2026-02-11', '--fail-on', 'none', '-q']);
    expect((await matched(place, null, '2026-02-12')).findings).toEqual([]);
  });

  it('that is short by more than rates explain is a break', async () => {
    const place = await partner(THREE);
    const { findings } = await matched(
      place,
      'date,amount,currency,period\n2025-11-25,1200.00,USDC,2025-10\n',
      '2025-12-20',
    );
    expect(findings.length).toBeGreaterThan(0);
  });
});

describe('terms', () => {
  const three = 'date,amount,currency,period\n';
  it('over all currencies: 600 EUR, 300 GBP and 250 USD are 1,192.18 EUR together', async () => {
    for (const [least, expected] of [
      ['1192.18', 3],
      ['1192.19', 0],
    ] as const) {
      const place = await partner(THREE, `, minimum: { amount: ${least}, currency: EUR, scope: all }`);
      const { findings } = await matched(place, null, '2025-12-20');
      expect(findings.map(({ rule }) => rule)).toEqual(Array.from({ length: expected }, () => 'PAYOUT_MISSING'));
    }
    // Each for itself, the same thousand carried all three, and kept a late payment silent.
    const alone = await partner(THREE, ', minimum: { amount: 1000, currency: EUR, scope: currency }');
    expect((await matched(alone, null, '2025-12-20')).findings).toEqual([]);
  });

  it('monthly from 5,000 over everything, else quarterly, in the fourth week', async () => {
    const place = await partner(THREE, ', terms: monthly-from-5000');
    expect((await matched(place, null, '2026-01-28')).findings).toEqual([]);
    const due = await matched(place, null, '2026-01-29');
    expect(due.findings.map(({ month, currency }) => `${month} ${currency}`)).toEqual([
      '2025-12 EUR',
      '2025-12 GBP',
      '2025-12 USD',
    ]);
    const paid = await matched(
      place,
      `${three}2026-01-26,600,EUR,2025-10/2025-12\n2026-01-26,300,GBP,2025-10 to\n`.replace(' to', '/2025-12'),
      '2026-01-29',
    );
    expect(paid.findings.map(({ month, currency }) => `${month} ${currency}`)).toEqual(['2025-12 USD']);
  });
});

describe('refunds', () => {
  const shares: readonly Share[] = [
    { id: 'a', released: '2025-09-05T10:00:00', cut: '15.00' },
    { id: 'b', released: '2025-09-06T10:00:00', cut: '85.00' },
    { id: 'c', released: '2025-10-06T10:00:00', cut: '50.00' },
  ];
  const cases: [string, string][] = [
    ['named', '2025-09'],
    ['without a month', ''],
  ];
  it.each(cases)('a line of −15.00, %s, is accepted, and takes from what the records say', async (_what, month) => {
    const place = await partner(shares);
    const statement = `date,amount,currency,period,id\n2025-10-20,100.00,EUR,2025-09,p1\n2025-10-25,-15.00,EUR,${month},p2\n2025-11-20,50.00,EUR,2025-10,p3\n`;
    const { code, findings, revenue_reconciliation: sheet } = await matched(place, statement, '2025-12-20');
    expect([code, findings]).toEqual([0, []]);
    expect(sheet.map(({ clawback_total }) => clawback_total)).toEqual(['-15', '0']);
    expect(balances(sheet)).toEqual(['2025-09 EUR 0', '2025-10 EUR 0']);
  });

  it('that the records know too counts once, in whatever month it is netted', async () => {
    const place = await partner(shares);
    serve(shares[0] as Share, { status: '"RETURNED"', updatedAt: '"2025-10-20T10:00:00.000Z"' });
    await place.tieout(['audit', '--id', 'a', '--date', '2025-11-02', '--fail-on', 'none', '-q']);
    const accrual = await place.tieout(['revenue', '--format', 'csv']);
    expect(accrual.out).toContain('2025-09,purchase,EUR,CARD_PAYMENT,2,100,100,');
    expect(accrual.out).toContain('2025-10,purchase,EUR,CARD_PAYMENT,1,35,50,');
    for (const rows of [
      '2025-10-20,100,EUR,2025-09\n2025-11-20,35,EUR,2025-10\n',
      '2025-10-20,100,EUR,2025-09\n2025-11-20,50,EUR,2025-10\n2025-11-20,-15,EUR,2025-10\n',
      '2025-10-20,100,EUR,2025-09\n2025-11-20,50,EUR,2025-10\n2025-11-20,-15,EUR,2025-09\n',
    ]) {
      const own = await partner(shares);
      serve(shares[0] as Share, { status: '"RETURNED"', updatedAt: '"2025-10-20T10:00:00.000Z"' });
      await own.tieout(['audit', '--id', 'a', '--date', '2025-11-02', '--fail-on', 'none', '-q']);
      const {
        code,
        findings,
        revenue_reconciliation: sheet,
      } = await matched(own, `date,amount,currency,period\n${rows}`, '2025-12-20');
      expect([code, findings]).toEqual([0, []]);
      expect(balances(sheet).at(-1)).toBe('2025-10 EUR 0');
    }
    // Paid in full, the refund may come off the next payment, until that one is due.
    const paid = 'date,amount,currency,period\n2025-10-20,100,EUR,2025-09\n2025-11-20,50,EUR,2025-10\n';
    const waits = await matched(place, paid, '2025-12-31');
    expect([waits.code, balances(waits.revenue_reconciliation)]).toEqual([0, ['2025-09 EUR 0', '2025-10 EUR -15']]);
    const { findings } = await matched(place, null, '2026-01-01');
    expect(findings).toEqual([{ rule: 'PAYOUT_DIFFERS', month: '2025-10', currency: 'EUR' }]);
  });

  it('counts once where the month differs besides', async () => {
    const place = await partner(shares);
    serve(shares[0] as Share, { status: '"RETURNED"', updatedAt: '"2025-10-20T10:00:00.000Z"' });
    await place.tieout(['audit', '--id', 'a', '--date', '2025-11-02', '--fail-on', 'none', '-q']);
    const rows = '2025-10-20,100,EUR,2025-09\n2025-11-20,40,EUR,2025-10\n2025-12-20,-15,EUR,2025-11\n';
    const { findings, revenue_reconciliation: sheet } = await matched(
      place,
      `date,amount,currency,period\n${rows}`,
      '2025-12-20',
    );
    expect(findings).toEqual([{ rule: 'PAYOUT_DIFFERS', month: '2025-10', currency: 'EUR' }]);
    // Earned 150.00, of which 15.00 was taken back; 125.00 came.
    expect(balances(sheet).at(-1)).toBe('2025-11 EUR 10');
  });
});

it('an invoice and a bonus settle nothing, a payment comes in two parts, and one that comes again is the same, or too much', async () => {
  const place = await partner([
    { id: 'a', released: '2025-09-05T10:00:00', cut: '120.00' },
    { id: 'b', released: '2025-10-06T10:00:00', cut: '80.00' },
  ]);
  const lines =
    'date,amount,currency,type,period,id,gross,withheld\n2025-10-20,70.00,EUR,share,2025-09,p1,,\n2025-10-22,45.00,EUR,share,2025-09,p2,50.00,5.00\n' +
    '2025-10-20,30.00,EUR,invoice,,p3,,\n2025-10-20,12.00,EUR,bonus,,p4,,\n2025-11-20,80.00,EUR,share,2025-10,p5,,\n';
  const first = await matched(place, lines, '2025-12-20');
  expect([first.code, first.findings]).toEqual([0, []]);
  const again = await matched(place, lines, '2025-12-20');
  expect([again.code, again.payouts.length]).toEqual([0, 5]);
  const twice = await matched(place, 'date,amount,currency,period,id\n2025-11-27,80.00,EUR,2025-10,p9\n', '2025-12-20');
  expect(twice.findings).toEqual([{ rule: 'PAYOUT_DIFFERS', month: '2025-10', currency: 'EUR' }]);
  expect(balances(twice.revenue_reconciliation).at(-1)).toBe('2025-10 EUR -80');
});

it('one payment for three months; earned in one and paid for another is timing in each', async () => {
  const shares = [
    { id: 'a', released: '2025-08-05T10:00:00', cut: '100.00' },
    { id: 'b', released: '2025-09-05T10:00:00', cut: '200.00' },
    { id: 'c', released: '2025-10-05T10:00:00', cut: '300.00' },
  ];
  const one = await matched(
    await partner(shares),
    'date,amount,currency,reference\n2025-11-25,600,EUR,2025-08 – 2025-10\n',
    '2025-12-20',
  );
  expect([one.code, one.findings]).toEqual([0, []]);
  // 5.00 of August are paid in September, 7.00 of September in October.
  const moved = await partner(shares);
  const three =
    'date,amount,currency,period\n2025-09-25,95,EUR,2025-08\n2025-10-25,198,EUR,2025-09\n2025-11-25,307,EUR,2025-10\n';
  const timed = await matched(moved, three, '2025-12-20');
  expect([timed.code, timed.findings]).toEqual([0, []]);
  expect(balances(timed.revenue_reconciliation)).toEqual(['2025-08 EUR 5', '2025-09 EUR 7', '2025-10 EUR 0']);
});

it('up to the materiality a difference is listed and low', async () => {
  const place = await partner(
    [{ id: 'a', released: '2025-09-05T10:00:00', cut: '100.00' }],
    ', materiality: { EUR: 1 }',
  );
  const { findings, revenue_reconciliation: sheet } = await matched(
    place,
    'date,amount,currency,period\n2025-10-20,99.20,EUR,2025-09\n',
    '2025-12-20',
  );
  expect(findings).toHaveLength(1);
  expect(sheet[0]).toMatchObject({ materiality: '1', immaterial_total: '0.8', days_61_90: '0.8' });
  await place.tieout(['run', '--date', '2025-12-20', '-q']);
  const [found] = place.csv('2025-12-20/nightly-r1', 'breaks').rows;
  expect(found).toMatchObject({ rule: 'PAYOUT_DIFFERS', severity: 'low' });
});

it('line by line, every difference is in one bucket, and the buckets come to it; only those without a reason are breaks', async () => {
  const place = await partner([
    { id: 'same', released: '2025-10-05T10:00:00', cut: '10.00' },
    { id: 'rounded', released: '2025-10-06T10:00:00', cut: '10.004' },
    { id: 'less', released: '2025-10-07T10:00:00', cut: '20.00' },
    { id: 'unpaid', released: '2025-10-08T10:00:00', cut: '30.00' },
    { id: 'early', released: '2025-10-31T22:30:00', cut: '40.00' },
    { id: 'sept', released: '2025-09-30T22:30:00', cut: '50.00' },
  ]);
  const lines =
    'id,share,currency,date,type\nsame,10.00,EUR,2025-10-05,\nrounded,10.00,EUR,2025-10-06,\nless,18.00,EUR,2025-10-07,share\nsept,50.00,EUR,2025-10-01,\n' +
    'nobody,3.00,EUR,2025-10-09,\nsame,-10.00,EUR,2025-10-20,clawback\nF-1,4.00,EUR,2025-10-31,invoice\nX,-0.50,EUR,2025-10-31,exchange\n';
  const { code, payout_lines: rows } = await matched(place, lines, '2025-11-20', '--lines');
  expect(code).toBe(1);
  expect(rows.map((row) => `${row.bucket} ${row.record_id ?? ''} ${row.difference}`)).toEqual([
    'amount less -2',
    'clawback same -10',
    'equal  0',
    'exchange X -0.5',
    'fee or invoice F-1 -4',
    'only ours unpaid -30',
    "only the partner's nobody 3",
    'rounding rounded -0.004',
    'timing early -40',
    'timing sept 50',
  ]);
  expect(rows.find(({ record_id }) => record_id === 'early')?.clear_by).toBe('2025-12-31');
  const sum = (of: 'ours' | 'theirs' | 'difference') => rows.reduce((total, row) => total + Number(row[of] ?? 0), 0);
  expect(sum('theirs') - sum('ours')).toBeCloseTo(sum('difference'), 9);
  // 110.004 of our own in October, of which 50 in September's… the sum of both sides is what each states for the month.
  expect(sum('ours')).toBeCloseTo(10 + 10.004 + 20 + 30 + 40, 9);
  expect(sum('theirs')).toBeCloseTo(10 + 10 + 18 + 50 + 3 - 10 - 4 - 0.5, 9);

  await place.tieout(['run', '--date', '2025-11-20', '-q', '--fail-on', 'none']);
  const breaks = place.csv('2025-11-20/nightly-r1', 'breaks').rows.filter(({ kind }) => kind === 'payout');
  expect(
    breaks.filter(({ field }) => field === 'lines').map(({ record_id, explanation }) => [record_id, explanation]),
  ).toEqual([['2025-10-EUR', expect.stringContaining('1 line amount (-2.00 EUR), 1 line only ours (-30.00 EUR)')]]);
  await place.ends(0, ['replay', 'nightly-2025-11-20-r1']);
  await place.ends(0, ['verify', 'out']);
  // November's statement comes without it: what was a matter of time is ours alone.
  const later = await matched(place, 'id,share,currency,date\nother,1.00,EUR,2025-11-09\n', '2025-12-20', '--lines');
  expect(later.payout_lines.find(({ record_id }) => record_id === 'early')?.bucket).toBe('only ours');
});

it('an unknown share is estimated apart; once it is known the estimate is gone, and a closed month gets it by a delta', async () => {
  const shares = [
    { id: 'known', released: '2025-09-05T10:00:00', cut: '100.00' },
    { id: 'silent', released: '2025-10-06T10:00:00', cut: '' },
  ];
  const place = open({
    settings: `${RULES}books: { estimate: method-rate }\nevidence: { payouts: { expected: always } }\n`,
  });
  serve(shares[0] as Share);
  serve(shares[1] as Share, { hostFeeCut: undefined });
  place.write(
    'ids.csv',
    'kind,id,view_token,created_at\npurchase,known,t,2025-09-05T10:00:00Z\npurchase,silent,t,2025-10-06T10:00:00Z\n',
  );
  await place.tieout(['import', 'ids.csv', '-q']);
  const night = async (date: string) => {
    const all = ['--from', '2025-09-01', '--to', '2026-01-01', '--date', date, '--fail-on', 'none', '-q'];
    const { code, err } = await place.tieout(['audit', ...all], { now: `${date}T20:00:00Z` });
    expect([code, err]).toEqual([0, err]);
  };
  const ofOctober = async () => {
    const { revenue_reconciliation: sheet } = await matched(place, null, '2025-11-04');
    const { earned_total, records_without_share, estimated_total } =
      sheet.find(({ business_month }) => business_month === '2025-10') ?? {};
    return [earned_total, records_without_share, estimated_total];
  };
  await night('2025-11-01');
  // The same value by the same method, of which 100.00 are known.
  expect(await ofOctober()).toEqual([null, '1', '100']);
  for (const period of ['2025-09', '2025-10']) {
    const now = '2025-11-02T08:00:00Z';
    const { code, err } = await place.tieout(['period', 'close', period, '--by', 'Ann', '--accept-open', 'as is'], {
      now,
    });
    expect([code, err]).toEqual([0, err]);
  }
  const before = await place.tieout(['journal', '--period', '2025-10', '--format', 'generic']);
  expect(before.out).not.toContain('Host fee revenue');
  serve(shares[1] as Share, { hostFeeCut: '80.00' });
  await night('2025-11-03');
  expect(await ofOctober()).toEqual(['80', '0', null]);
  await place.tieout(['period', 'delta', '2025-10', '--by', 'Ann'], { now: '2025-11-04T08:00:00Z' });
  const { out } = await place.tieout(['journal', '--period', '2025-10', '--corrections', '--format', 'generic']);
  expect(out).toMatch(/2025-11-04.*Host fee revenue.*80\.00/);
});
