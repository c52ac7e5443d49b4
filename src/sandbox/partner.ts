/**
 * A partner that pays as partners do: five months of purchases in three currencies, its statements, its lines, and the key to them. Payments wait
 * for a threshold over everything, come in a coin for several months and currencies, in parts, twice, and with an invoice, a bonus and a refund
 * in them. It counts by UTC, in whole cents; the host may count in another zone.
 */
import { catalogueAsset } from './assets-catalogue.ts';
import type { Body, SandboxInstant, TrackedLine } from './contract.ts';
import { liveBody } from './live/bodies.ts';
import { newLiveRecord } from './live/journey.ts';
import { method } from './payment-tables.ts';
import { offersFor } from './pricing.ts';
import { Draws } from './random.ts';
import { isoText } from './record-bodies.ts';
import type { partnerKey } from './schemas/control.ts';
import type { Answered } from './schemas/scalars.ts';
import type { World } from './world.ts';

const STREAM = 61;
const HOUR = 3_600_000;
const MONTHS = 5;

const CODES = ['EUR', 'GBP', 'USD'];
const [LESS, OUT, LATER] = ['a fifth less', 'left out', 'in the next month'] as const;
type Treatment = typeof LESS | typeof OUT | typeof LATER;

const STEPS = ['PAYMENT_EXECUTED', 'RELEASED', 'RETURNED'].map((status) => {
  return { status, after: 0, event: null, sides: null, says: '' };
});

/**
 * Month of the release, currency, value, day and hour of the creation (day 0: the last of the month before), hours until the release; below
 * zero: so many half hours before the end of the month.
 */
type Life = readonly [number, string, number, number, number, number, { returned?: [number, number]; by?: Treatment }?];

const LIVES: readonly Life[] = [
  [0, 'EUR', 9000, 5, 10, 1],
  [0, 'GBP', 2000, 12, 10, 1],
  [0, 'USD', 3000, 20, 10, 1],
  // Created in one month, released on the 3rd of the next.
  [1, 'EUR', 3000, 0, 10, 65],
  // Its refund is of the fourth month, and netted in the fifth's payment.
  [1, 'EUR', 8000, 8, 10, 1, { returned: [3, 10] }],
  [1, 'GBP', 2500, 9, 10, 1],
  [1, 'USD', 2500, 10, 10, 1],
  // 23:30 UTC of a last day: in Berlin the next month.
  [1, 'EUR', 2000, 28, 20, -1],
  [2, 'EUR', 9900, 7, 10, 1],
  [2, 'GBP', 2600, 8, 10, 2],
  [2, 'USD', 2700, 9, 10, 3],
  [3, 'EUR', 12_000, 3, 10, 1],
  [3, 'EUR', 11_000, 6, 10, 1],
  [3, 'EUR', 10_000, 9, 10, 1],
  [3, 'EUR', 7000, 11, 10, 1, { by: LESS }],
  [3, 'EUR', 800, 14, 10, 1, { by: OUT }],
  [3, 'EUR', 4000, 28, 10, -5, { by: LATER }],
  [3, 'GBP', 4000, 15, 10, 1],
  [3, 'USD', 5000, 16, 10, 1],
  [4, 'EUR', 5000, 0, 10, 70],
  [4, 'EUR', 12_000, 4, 10, 1],
  [4, 'EUR', 11_500, 8, 10, 1],
  [4, 'EUR', 10_500, 12, 10, 1],
  [4, 'GBP', 4200, 15, 10, 1],
  [4, 'USD', 5100, 16, 10, 1],
];

/** So much over everything is paid; less is carried. */
const THRESHOLD = 400;
const [INVOICE, BONUS, CHARGE] = [3000, 1250, 75];

export type Partner = ReturnType<typeof createPartner>;

/** The five months before that of the first night. */
export function createPartner(world: World) {
  const start = new Date(world.now);
  const at = (month: number, day: number, hour = 0): SandboxInstant =>
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - MONTHS + month, day, hour);
  const name = (month: number) => dayOf(at(month, 1)).slice(0, 7);
  const deals = LIVES.map(([month, currency, fiat, day, hour, hours, { returned, by = null } = {}], i) => {
    const index = world.records + i;
    const draws = new Draws(world.seed, index, STREAM);
    const asset = catalogueAsset('ETH_ETH');
    const end = at(month + 1, 1);
    const createdAt = hours < 0 ? end - 4 * HOUR : at(month, day, hour);
    const order = { direction: 'onramp', asset, currency, asked: { fiat }, at: createdAt } as const;
    const [offer] = offersFor({ ...order, methods: [method('onramp', 'CARD_PAYMENT')] }, world.market);
    if (offer === undefined) throw new RangeError(`no offer for ${fiat} ${currency}`);
    const place = { id: world.ids.id(index, 'purchase'), token: world.ids.token(index), createdAt };
    const record = newLiveRecord({ kind: 'purchase', ...place, asset, currency, ...offer, steps: STEPS }, draws);
    const released = hours < 0 ? end + (hours * HOUR) / 2 : createdAt + hours * HOUR;
    /** Of each step. */
    const moments = [createdAt, released, ...(returned === undefined ? [] : [at(...returned, 10)])];
    return { record, month, cut: offer.figures.hostFeeCut ?? 0, moments, by };
  });

  /** What the partner counts of a currency in a month, and what that comes to in cents. */
  const counted = (month: number, currency: string) =>
    deals.filter(({ record, by, month: own }) => {
      return own + (by === LATER ? 1 : 0) === month && record.currency === currency && by !== OUT;
    });
  const stated = ({ cut, by }: (typeof deals)[number]) => cut * (by === LESS ? 80 : 100);
  const owed = (month: number, currency: string) =>
    Math.round(counted(month, currency).reduce((sum, each) => sum + stated(each), 0));
  const refunded = deals.find(({ moments }) => moments.length > 2);
  const back = refunded === undefined ? 0 : Math.round(stated(refunded));
  const dollars = (currency: string, month: number) => {
    const market = world.market.at(at(month, 20));
    return Number((market.fiatEur(currency) / market.fiatEur('USD')).toFixed(4));
  };

  function statements() {
    const row = (month: number, day: number, cents: number, currency: string, ...rest: readonly string[]) =>
      [dayOf(at(month + 1, day)), money(cents), currency, ...rest].join(',');
    // Three months and currencies in one payment, at the rates of its day: the first two months were below the threshold.
    const sums = CODES.map((code) => ({
      code,
      cents: owed(0, code) + owed(1, code) + owed(2, code),
      rate: dollars(code, 2),
    }));
    const coins = sums.reduce((sum, { cents, rate }) => sum + cents * rate, 0);
    const settles = sums.map(({ code, cents, rate }) => `${money(cents)} ${code} @ ${rate}`).join(' + ');
    const part = Math.floor(owed(3, 'EUR') * 0.6);
    const rest = owed(3, 'EUR') - part - CHARGE;
    // Without a word about its rates.
    const both = owed(3, 'GBP') * dollars('GBP', 3) + owed(3, 'USD');
    const pounds = row(4, 25, owed(4, 'GBP'), 'GBP', 'share', `REV ${name(4)}`, 'p7,,');
    const files: readonly (readonly [month: number, day: number, ...rows: string[]])[] = [
      [2, 27, row(2, 25, coins, 'USDC', 'share', `${name(0)} – ${name(2)}`, `p1,,${settles}`)],
      [
        3,
        27,
        row(3, 24, part, 'EUR', 'share', `REV ${name(3)}`, 'p2,,'),
        row(3, 26, rest, 'EUR', 'share', `Rest of ${name(3)}`, `p3,${money(CHARGE)},`),
        row(3, 26, both, 'USDC', 'share', `REV ${name(3)}`, 'p4,,'),
      ],
      [
        4,
        26,
        row(4, 25, owed(4, 'EUR'), 'EUR', 'share', `REV ${name(4)}`, 'p5,,'),
        row(4, 25, owed(4, 'USD'), 'USD', 'share', `REV ${name(4)}`, 'p6,,'),
        pounds,
        row(4, 25, -back, 'EUR', 'clawback', 'Refunds', 'c1,,'),
        row(4, 25, -INVOICE, 'EUR', 'invoice', 'INV-77', 'i1,,'),
        row(4, 25, BONUS, 'EUR', 'bonus', 'Launch', 'b1,,'),
      ],
      // The same payment in the next file.
      [4, 27, pounds],
    ];
    const head = 'date,amount,currency,type,reference,id,withheld,settles';
    return files.map(([month, day, ...rows]) => {
      const lines = month < 3 || rows.length === 1 ? null : linesOf(month);
      return { date: dayOf(at(month + 1, day)), payments: [head, ...rows, ''].join('\n'), lines };
    });
  }

  /** A line a transaction, from the month on in which the partner is asked for them. */
  function linesOf(month: number): string {
    const shares = CODES.flatMap((code) => counted(month, code)).map((each) => {
      const date = dayOf(each.by === LATER ? at(month, 1) : (each.moments[1] ?? 0));
      return `${each.record.id},${money(Math.round(stated(each)))},${each.record.currency},${date},share`;
    });
    const last = `EUR,${name(4)}-20`;
    const others = [
      `${refunded?.record.id},${money(-back)},${last},clawback`,
      `INV-77,${money(-INVOICE)},${last},invoice`,
    ];
    return ['id,share,currency,date,type', ...shares, ...(month === 4 ? others : []), ''].join('\n');
  }

  return {
    /** The statements as they come, and what a reconciliation of them has to say in the end. */
    key: {
      months: [0, 1, 2, 3, 4].map(name),
      threshold: THRESHOLD,
      statements: statements(),
      codes: [`PAYOUT_DIFFERS ${name(3)}-EUR`],
      owedEur: deals.reduce((sum, { by, cut }) => sum + (by === OUT ? cut : by === LESS ? cut / 5 : 0), 0),
      buckets: deals
        .filter(({ month }) => month >= 3)
        .map((each) => ({ id: each.record.id, month: name(each.month), bucket: bucketOf(each) })),
    } satisfies Answered<typeof partnerKey>,
    /** The purchase as it is at that time; null where there is none with this id and token. */
    answer(id: string, token: string, now: SandboxInstant): Body | null {
      const found = deals.find(({ record }) => record.id === id && record.token === token);
      if (found === undefined) return null;
      const { record, moments } = found;
      const position = Math.max(0, moments.filter((moment) => moment <= now).length - 1);
      const since = moments[position] ?? record.createdAt;
      const body = liveBody({ ...record, position, since }, world.identifierName, 'observed');
      if (position < 2) return body;
      // Without its list of moments, who first sees a record that came back could not tell what it had earned.
      const actions = moments.map((moment, i) => ({ newStatus: STEPS[i]?.status, timestamp: isoText(moment) }));
      return { ...body, actions };
    },
    *trackedLines(now: SandboxInstant): Generator<TrackedLine> {
      const none = { host_reference: null, quote_id: null, expected_status: null, shown_total: null, shown_fee: null };
      for (const { record } of deals) {
        const { kind, id, token, createdAt } = record;
        const line = { kind, id, view_token: token, created_at: isoText(createdAt), ...none };
        if (createdAt <= now) yield line;
      }
    },
  };
}

function bucketOf({ by, cut }: { by: Treatment | null; cut: number }): string {
  if (by === LATER) return 'timing';
  if (by === OUT) return 'only ours';
  if (by === LESS) return 'amount';
  return cut * 100 === Math.round(cut * 100) ? 'equal' : 'rounding';
}

const dayOf = (at: SandboxInstant) => new Date(at).toISOString().slice(0, 10);
const money = (cents: number) => (cents / 100).toFixed(2);
