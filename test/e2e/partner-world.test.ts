/** The sandbox's partner, who pays as partners do: every difference is in its bucket, no month is wrong that is right, and months book the same. */
import { afterAll, expect, it, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { readCsv } from './support/csv.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const NOW = Date.parse('2026-04-01T00:00:00Z');
const sandbox = await createSandbox({ clock: () => NOW, now: NOW, records: 0, partner: true, rateLimits: 'off' });
const partner = sandbox.partner as NonNullable<typeof sandbox.partner>;
const opened: Workspace[] = [];
afterAll(async () => {
  for (const each of opened) each.remove();
  await sandbox.close();
});

const SETTINGS = `timezone: Europe/Berlin
reports: { decimals: minor-units }
rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, RATE_OUT_OF_LINE: off, STATUS_REGRESSED: off, RESTATED: off, REFUND_DUE: off }
evidence: { payouts: { expected: always, timezone: UTC, minimum: { amount: ${partner.key.threshold}, currency: EUR, scope: all }, below: carry } }
`;

async function ok(place: Workspace, args: readonly string[], now: string): Promise<string> {
  const { code, out, err } = await place.tieout(args, { now });
  expect([args.join(' '), code, err]).toEqual([args.join(' '), 0, err]);
  return out;
}

/** Everything is read again, so that what was returned is seen too. */
async function night(place: Workspace, date: string): Promise<void> {
  const now = `${date}T23:00:00Z`;
  sandbox.setClock(Date.parse(now));
  place.write('ids.csv', await (await fetch(`${sandbox.origin}/sandbox/tracked`)).text());
  await ok(place, ['import', 'ids.csv', '-q'], now);
  const all = ['--from', '2020-01-01', '--to', '2030-01-01', '--date', date, '--fail-on', 'none', '-q'];
  await ok(place, ['audit', ...all], now);
}

async function imported(place: Workspace, upTo: string, from = ''): Promise<void> {
  for (const { date, payments, lines } of partner.key.statements) {
    if (date > upTo || date <= from) continue;
    place.write('payments.csv', payments);
    await ok(place, ['payouts', 'import', 'payments.csv'], `${date}T12:00:00Z`);
    if (lines === null) continue;
    place.write('lines.csv', lines);
    await ok(place, ['payouts', 'import', '--lines', 'lines.csv'], `${date}T12:00:00Z`);
  }
}

type Row = Record<string, string | null>;
interface Matched {
  findings: { rule: string; month: string; currency: string }[];
  revenue_reconciliation: Row[];
  payout_lines: Row[];
  payouts: Row[];
}

async function matched(place: Workspace, date: string): Promise<Matched> {
  const { out } = await place.tieout(['payouts', 'match', '--date', date, '--json'], { now: `${date}T12:00:00Z` });
  return JSON.parse(out) as Matched;
}

const after = (month: string, day: string) => {
  const at = new Date(`${month}-01T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + 1);
  return `${at.toISOString().slice(0, 7)}-${day}`;
};

/** Each line of the partner's is in whole cents. */
const rounded = (amount: number) => Math.round(amount * 10) / 10 + 0;

/** To a thousandth of a cent. */
function foots(row: Row): void {
  const [opening, earned, paid, clawback, exchange, closing] = [
    'opening_balance',
    'earned_total',
    'paid_total',
    'clawback_total',
    'exchange_total',
    'closing_balance',
  ].map((name) => Number(row[name] ?? 0)) as [number, number, number, number, number, number];
  expect(opening + earned - paid + clawback + exchange).toBeCloseTo(closing, 9);
  const aged = ['days_0_30', 'days_31_60', 'days_61_90', 'days_over_90'].reduce(
    (sum, name) => sum + Number(row[name] ?? 0),
    0,
  );
  expect(aged).toBeCloseTo(closing, 9);
}

/** Shares less refunds by month of a time zone and currency, as the bodies at the end say it. */
function earned(timeZone: string): ReadonlyMap<string, number> {
  const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit' });
  const sums = new Map<string, number>();
  for (const { id, view_token: token } of partner.trackedLines(Number.MAX_SAFE_INTEGER)) {
    const body = partner.answer(id, token, Number.MAX_SAFE_INTEGER) as Record<string, unknown>;
    const actions = body.actions as { timestamp: string }[] | undefined;
    const moments = actions?.slice(1).map(({ timestamp }) => timestamp) ?? [body.updatedAt as string];
    for (const [i, moment] of moments.entries()) {
      const key = `${calendar.format(new Date(moment))} ${body.fiatCurrency}`;
      sums.set(key, (sums.get(key) ?? 0) + (i === 0 ? 1 : -1) * (body.hostFeeCut as number));
    }
  }
  return sums;
}

const codesOf = ({ findings }: Matched) =>
  [...new Set(findings.map(({ rule, month, currency }) => `${rule} ${month}-${currency}`))].sort();

// On other days of the month: months-of-release.test.ts.
it('closed on the 2nd, the months book what was earned in them, and nothing is wrong but what is', async () => {
  const place = openWorkspace(sandbox.url, { settings: SETTINGS });
  opened.push(place);
  const booked = new Map<string, number>();
  let before = '';
  let [sheet, lines]: [Row[], Row[]] = [[], []];
  for (const month of partner.key.months) {
    await night(place, after(month, '01'));
    const now = `${after(month, '02')}T08:00:00Z`;
    await ok(place, ['period', 'close', month, '--by', 'Ann', '--accept-open', 'as is'], now);
    const { rows } = readCsv(await ok(place, ['journal', '--period', month, '--format', 'generic'], now));
    for (const row of rows.filter(({ account }) => account === 'Host fee revenue')) {
      const key = `${month} ${row.currency}`;
      booked.set(key, (booked.get(key) ?? 0) + Number(row.credit || 0) - Number(row.debit || 0));
    }
    await imported(place, after(month, '27'), before);
    before = after(month, '27');
    // Of a payment that is late no month is accused; what the lines lack is named once they are here.
    const due = partner.key.codes.filter((code) => code.includes(month) || partner.key.months.indexOf(month) === 4);
    const now_ = await matched(place, after(month, '28'));
    expect([month, codesOf(now_)]).toEqual([month, due]);
    for (const row of now_.revenue_reconciliation) foots(row);
    sheet = now_.revenue_reconciliation;
    lines = now_.payout_lines;
  }
  // As it is printed, to the cent.
  const last = after(partner.key.months.at(-1) ?? '', '28');
  await place.tieout(['run', '--date', last, '--fail-on', 'none', '-q'], { now: `${last}T23:00:00Z` });
  const printed = place.csv(`${last}/nightly-r1`, 'revenue_reconciliation').rows;
  expect(printed).toHaveLength(15);
  for (const row of printed) foots(row);
  // What is still owed is what the partner left out or shortened; the refund counts once.
  const owed = sheet.filter(({ business_month }) => business_month === partner.key.months[4]);
  expect(owed.map(({ currency, closing_balance }) => `${currency} ${rounded(Number(closing_balance))}`)).toEqual(
    ['EUR', 'GBP', 'USD'].map((currency) => `${currency} ${rounded(currency === 'EUR' ? partner.key.owedEur : 0)}`),
  );
  for (const { id, month, bucket } of partner.key.buckets)
    expect(
      lines.filter((each) => each.business_month === month && each.record_id === (bucket === 'equal' ? null : id)),
    ).toContainEqual(expect.objectContaining({ bucket }));
  for (const [key, sum] of earned('Europe/Berlin'))
    expect(`${key} ${(booked.get(key) ?? 0).toFixed(2)}`).toBe(`${key} ${sum.toFixed(2)}`);
});

it('read for the first time when all is paid, the records say the same', async () => {
  const place = openWorkspace(sandbox.url, { settings: SETTINGS });
  opened.push(place);
  const last = after(partner.key.months.at(-1) ?? '', '28');
  await night(place, last);
  await imported(place, last);
  const all = await matched(place, last);
  expect(codesOf(all)).toEqual(partner.key.codes);
  expect(
    all.revenue_reconciliation
      .filter(({ business_month: month }) => month === partner.key.months.at(-1))
      .map(({ closing_balance: closing }) => rounded(Number(closing))),
  ).toEqual([rounded(partner.key.owedEur), 0, 0]);
});
