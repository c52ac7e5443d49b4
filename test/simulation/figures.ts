/**
 * A month of generated records with restatements, waivers, three claims, a late delta and two closers, and every figure of it that is
 * seen in two places (docs/contributing/figures.md), read as an outsider reads it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openClaim, packClaim, updateClaim } from '../../src/app/claims.ts';
import { packMonth } from '../../src/app/month-end-pack.ts';
import { pagesEdges } from '../../src/app/pages.ts';
import { writtenJournal } from '../../src/app/period-journal.ts';
import { periodEdges } from '../../src/app/periods.ts';
import { reportingOfRun } from '../../src/app/reporting.ts';
import { minorUnitDigits } from '../../src/domain/currency.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { closePeriod, publishDelta, reviewPeriod } from '../../src/periods/close.ts';
import { runMessage } from '../../src/runner/notify-message.ts';
import { covering } from '../../src/worklist/covering.ts';
import { planDecision } from '../../src/worklist/work.ts';
import { type FrozenWorld, openFrozenWorld } from '../e2e/support/frozen-world.ts';
import { aQuoteLine } from '../e2e/support/quote-line.ts';
import { PATIENCE } from '../e2e/support/workspace.ts';
import { violationsOf } from '../invariants/check-set.ts';
import { type Cells, readManifestOf, readRows, STANDARD, scaled } from '../invariants/published.ts';
import { unzip } from '../publish/support/unzip.ts';
import { aPurchase } from '../service/bodies.ts';
import { quoteLines } from './prices.ts';
import { Reality } from './reality.ts';

const ANN = { name: 'Ann', account: 'local:Ann', proof: 'proved' } as const;
const DAYS = 6;
const RATES = new URL('rates.csv', import.meta.url).pathname;

/** `EUR user` → an exact sum in units of 10^-60. */
type Sums = Readonly<Record<string, bigint>>;

function sumsOf(rows: readonly Cells[], key: (row: Cells) => string, ...columns: readonly string[]): Sums {
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    for (const amount of columns.map((column) => scaled(row[column])))
      if (amount !== null) sums.set(key(row), (sums.get(key(row)) ?? 0n) + amount);
  }
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const byBearer = (row: Cells) => `${row.record_currency} ${row.loss_bearer}`;
const byCurrency = (row: Cells) => row.record_currency ?? '';

const WORDS: Readonly<Record<string, string>> = {
  host: 'owed to you',
  user: 'lost by users',
  service: 'lost by the Service',
};

interface Told {
  money_at_stake: readonly Cells[];
  waived: readonly Cells[];
  reporting: { rates: readonly Cells[] };
}

/** Amounts of a page, as `code exact`, in their order. */
const amountsOn = (page: string) =>
  [...page.matchAll(/title="exactly ([^ "]*) ([A-Z]{3})"/g)].map(([, n, code]) => `${code} ${n}`);

export class GeneratedMonth {
  readonly world: FrozenWorld;
  readonly pages: FastifyInstance;
  private readonly reality = new Reality(11, '2026-10-26', 0.9);
  private readonly ids: string[] = [];
  readonly claims: string[] = [];

  private constructor(world: FrozenWorld, pages: FastifyInstance) {
    this.world = world;
    this.pages = pages;
  }

  static async open(records: number): Promise<GeneratedMonth> {
    const world = await openFrozenWorld({
      'reports.formats': ['csv', 'xlsx', 'html'],
      'service.concurrency': '8',
      'evidence.payouts.expected': 'always',
      'reports.currency': 'EUR',
      'reports.rates': RATES,
    });
    const edges = pagesEdges(world.app);
    const proxy = { addresses: ['127.0.0.1'], nameHeader: 'x-user', rolesHeader: 'x-groups' };
    const settings = {
      ...edges.settings,
      url: 'http://localhost',
      proxy,
      roles: new Map([['all', 'analyst' as const]]),
    };
    const month = new GeneratedMonth(world, await pagesServer({ ...edges, settings }));
    await month.live(records);
    return month;
  }

  async close(): Promise<void> {
    await this.pages.close();
    await this.world.close();
  }

  private newestNight: Awaited<ReturnType<FrozenWorld['night']>> | null = null;
  /** The newest night's set. */
  readonly nights: string[] = [];

  private async night(date: string, records: number): Promise<void> {
    const { world, reality } = this;
    const lines = reality.nextDay(records).map(({ id, kind, quoteId }) => {
      world.server.answers.set(id, () => reality.answer(id));
      this.ids.push(id);
      return `${kind},${id},token-${id},${quoteId}`;
    });
    if (lines.length > 0) await world.track(`kind,id,view_token,quote_id\n${lines.join('\n')}\n`);
    // The morning after, as a schedule does.
    world.goTo(new Date(Date.parse(`${date}T04:15:00Z`) + 86_400_000).toISOString());
    this.newestNight = await world.night(date);
    this.nights.push(join(world.out, this.newestNight.folder));
  }

  private async live(records: number): Promise<void> {
    const { world } = this;
    await world.quote(quoteLines());
    const dated = { createdAt: '"2026-07-10T10:00:00.000Z"', updatedAt: '"2026-07-10T10:20:00.000Z"' };
    const july = aPurchase({
      id: '"july"',
      purchaseViewToken: undefined,
      status: '"RELEASED"',
      hostFeeCut: '0.43',
      ...dated,
    });
    world.server.answers.set('july', { body: july });
    await world.quote([aQuoteLine()]);
    const begun = { createdAt: '"2026-10-29T10:00:00.000Z"', updatedAt: '"2026-10-29T10:05:00.000Z"' };
    const paid = { status: '"PAYMENT_EXECUTED"', finalTxHash: 'null', baseServiceFee: '8.9', appliedFee: '9.76' };
    const underWay = { id: '"way"', purchaseViewToken: undefined, fiatValue: '109.76', ...begun, ...paid };
    world.server.answers.set('way', { body: aPurchase(underWay) });
    await world.track('kind,id,view_token,quote_id\npurchase,july,t,\npurchase,way,t,q-1\n');
    for (let day = 0; day < DAYS; day++) await this.night(`2026-10-${26 + day}`, Math.ceil(records / DAYS));
    await this.decide();
    await this.night('2026-11-01', 0);
  }

  /** One waiver, and three claims: one sent, one recovered in part, one that got back all. */
  private async decide(): Promise<void> {
    const { app } = this.world;
    const at = Date.parse('2026-11-01T09:00:00Z');
    const rows = this.rows('breaks').filter(
      (row) => row.money_at_stake !== '' && row.loss_bearer === 'user' && row.rule === 'FEE_APPLIED_DIFFERS',
    );
    const [waived = '', ...claimed] = rows.map(({ break_id = '' }) => break_id);
    const standing = await app.store.breaks.get(waived);
    if (standing === null || claimed.length < 3) throw new Error(`too few losses to decide about: ${rows.length}`);
    const wish = { type: 'waived', reason: 'goodwill', until: null, assignee: null } as const;
    const deciding = { actor: ANN, at, limits: { above: new Map(), severities: [] }, today: '2026-10-31' };
    const event = planDecision(standing, wish, deciding);
    const records = await app.store.workList.ofSameRecords([waived]);
    await app.store.breaks.append(covering([event], records, deciding));
    for (const [i, id] of claimed.slice(0, 3).entries()) {
      const why = { title: `Fees ${i}`, reason: 'too much', actor: ANN };
      let claim = await openClaim(app, [id], why);
      this.claims.push(claim.claimId);
      const [item] = await app.store.claims.items(claim.claimId);
      if (item === undefined) throw new Error('a claim without a row');
      // It stays as it is: a fee that is put right is at stake no more.
      const recordId = rows.find((row) => row.break_id === id)?.record_id ?? '';
      const answer = this.reality.answer(recordId);
      this.world.server.answers.set(recordId, () => answer);
      const some = i === 1 ? Decimal.parse('0.5') : item.claimed;
      claim = await updateClaim(app, claim, { state: 'sent' }, why);
      if (i === 0) continue;
      claim = await updateClaim(app, claim, { state: 'accepted' }, why);
      await updateClaim(app, claim, { state: 'recovered', recovered: new Map([[item.currency, some]]) }, why);
    }
  }

  get newest(): string {
    return this.nights.at(-1) ?? '';
  }

  rows(name: string, folder = this.newest): readonly Cells[] {
    return readRows(folder, name, STANDARD);
  }

  private async page(url: string): Promise<string> {
    const answer = await this.pages.inject({ url, headers: { 'x-user': 'Ann', 'x-groups': 'all' } });
    expect([url, answer.statusCode]).toEqual([url, 200]);
    return answer.body;
  }

  /** Money at stake: file of breaks, of records, manifest, metric, queue. */
  async stakeAgrees(): Promise<void> {
    const set = this.newest;
    expect(violationsOf(set)).toEqual([]);
    const breaks = this.rows('breaks');
    const stake = sumsOf(breaks, byBearer, 'money_at_stake');
    expect(Object.keys(stake)).toEqual(expect.arrayContaining(['EUR host', 'EUR user']));
    const told = readManifestOf(set).money_at_stake.map(({ currency, bearer, total }) => ({
      record_currency: currency,
      loss_bearer: bearer,
      total,
    }));
    expect(sumsOf(told, byBearer, 'total')).toEqual(stake);
    const metric = (await this.world.app.store.breaks.openStake()).map(({ currency, bearer, total }) => ({
      record_currency: currency,
      loss_bearer: bearer,
      total: total.toString(),
    }));
    expect(sumsOf(metric, byBearer, 'total')).toEqual(stake);
    const queue = parse(await this.page('/breaks.csv'), { columns: true }) as Cells[];
    expect(sumsOf(queue, byCurrency, 'money_at_stake')).toEqual(sumsOf(breaks, byCurrency, 'money_at_stake'));
    // The same age on the page, in its file and in the set.
    const ages = new Map(breaks.map((row) => [row.break_id, row.age_days]));
    for (const row of queue)
      expect([row.rule, row.record_id, row.age_days]).toEqual([row.rule, row.record_id, ages.get(row.break_id)]);
    const open = breaks.filter(({ state = '' }) => ['open', 'acknowledged', 'reopened'].includes(state)).length;
    expect(readManifestOf(set).breaks.open).toBe(open);
    const aged = this.rows('ageing').reduce((n, row) => n + Number(row.open_count), 0);
    const severities = Object.values(await this.world.app.store.breaks.openBySeverity());
    expect([aged, severities.reduce((a, b) => a + b, 0)]).toEqual([open, open]);
    // Of the records that this night could read: the same money by record.
    const read = this.rows('records').filter(({ fiat_currency }) => fiat_currency !== '');
    const verified = new Set(read.map(({ record_id }) => record_id));
    const ofNight = breaks.filter(({ record_id }) => verified.has(record_id));
    const byRecord = sumsOf(this.rows('records'), ({ fiat_currency = '' }) => fiat_currency, 'money_at_stake');
    expect(byRecord).toEqual(sumsOf(ofNight, byCurrency, 'money_at_stake'));
  }

  /** Pending, claimed and waived money: the columns of the breaks and the manifest. And what notice and page say of all of it, in words. */
  async wordsAgree(): Promise<void> {
    const breaks = this.rows('breaks');
    const manifest = JSON.parse(readFileSync(join(this.newest, 'manifest.json'), 'utf8')) as Told;
    const told = manifest.money_at_stake.map((row) => ({
      ...row,
      record_currency: row.currency ?? '',
      loss_bearer: row.bearer ?? '',
    }));
    for (const part of ['pending', 'claimed'])
      expect([part, sumsOf(told, byBearer, part)]).toEqual([part, sumsOf(breaks, byBearer, `money_${part}`)]);
    const waived = manifest.waived.map((row) => ({ ...row, record_currency: row.currency ?? '' }));
    expect(sumsOf(waived, byCurrency, 'total')).toEqual(sumsOf(breaks, byCurrency, 'money_waived'));
    for (const part of ['pending', 'claimed', 'waived'])
      expect([part, Object.keys(sumsOf(breaks, byBearer, `money_${part}`)).length > 0]).toEqual([part, true]);
    const rates = new Map(
      readFileSync(RATES, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').slice(1) as [string, string]),
    );
    expect(manifest.reporting.rates.map(({ currency, rate }) => [currency, rate])).toEqual(
      expect.arrayContaining(
        [...rates].filter(([code]) =>
          manifest.money_at_stake.some((row) => row.currency === code && Number(row.records) > 0),
        ),
      ),
    );
    if (this.newestNight === null) throw new Error('no night');
    const reporting = await reportingOfRun(this.world.app, this.newestNight.run);
    const { lines } = runMessage(this.newestNight, new Map(), reporting);
    const said = (name: string) => lines.find((line) => line.startsWith(`${name}: `)) ?? '';
    const page = readFileSync(join(this.newest, 'report.html'), 'utf8')
      .replace(/<[^>]*>/g, '')
      .replaceAll(',', '');
    const half = (scaled('0.01') ?? 0n) / 2n;
    const abs = (amount: bigint) => (amount < 0n ? -amount : amount);
    const stake = sumsOf(breaks, byBearer, 'money_at_stake');
    for (const [key, exact] of Object.entries(stake)) {
      const [currency = '', bearer = ''] = key.split(' ');
      const printed = new RegExp(`([\\d.]+) ${currency} ${WORDS[bearer]}`).exec(said('Money at stake'))?.[1];
      expect(abs((scaled(printed) ?? 0n) - abs(exact)), key).toBeLessThanOrEqual(
        currency === 'JPY' ? half * 100n : half,
      );
    }
    for (const [bearer, words] of Object.entries(WORDS)) {
      const own = Object.entries(stake).filter(([key]) => key.endsWith(` ${bearer}`));
      if (own.length === 0) continue;
      const exact = own.reduce((sum, [key, amount]) => {
        const rate = Decimal.parse(rates.get(key.slice(0, 3)) ?? '1');
        return sum.plus(Decimal.of(abs(amount), 60).times(rate));
      }, Decimal.ZERO);
      const printed = new RegExp(`([\\d.]+) EUR ${words}`).exec(said('Together'))?.[1] ?? '';
      expect(
        Decimal.parse(printed).minus(exact).abs().greaterThan(Decimal.parse('0.005')),
        `${bearer}: ${printed}, not ${exact}`,
      ).toBe(false);
      expect(page).toContain(`${printed} EUR`);
    }
  }

  /** A claim: its rows, its letter, its page, the overview; and what the next night has in claims. */
  async claimsAgree(): Promise<void> {
    const overview = await this.page('/claims');
    const { store } = this.world.app;
    const all: Cells[] = [];
    for (const id of this.claims) {
      const claim = await store.claims.get(id);
      if (claim === null) throw new Error(id);
      const files = unzip(await packClaim(this.world.app, claim));
      const rows = parse(files.get('claim.csv') ?? '', { columns: true }) as Cells[];
      all.push(...rows);
      const claimed = rows.reduce((sum, row) => sum.plus(Decimal.parse(row.claimed ?? '0')), Decimal.ZERO);
      const recovered = rows.reduce((sum, row) => sum.plus(Decimal.parse(row.recovered ?? '0')), Decimal.ZERO);
      const currency = rows[0]?.currency ?? '';
      const letter = /In all we claim:\n\n {2}([\d.]+) /.exec(files.get('letter.txt') ?? '')?.[1] ?? '';
      expect(Decimal.parse(letter).compare(claimed)).toBe(0);
      const figures = [claimed, recovered, claimed.minus(recovered)].map((each) => `${currency} ${each}`);
      expect(amountsOn(await this.page(`/claims/${id}`)).slice(0, 3)).toEqual(figures);
      const row = overview.split('<tr').find((each) => each.includes(id)) ?? '';
      expect(amountsOn(row)).toEqual(figures.slice(0, 2));
    }
    // Minor units by record: at most half of one beside the exact loss.
    const standing = new Map(this.rows('breaks').map((row) => [row.break_id, row]));
    const half = scaled('0.5') ?? 0n;
    expect(all).toHaveLength(this.claims.length);
    for (const { break_id = '', claimed } of all) {
      const off = (scaled(claimed) ?? 0n) - (scaled(standing.get(break_id)?.money_claimed) ?? 0n);
      expect(off < 0n ? -off : off, break_id).toBeLessThan(half);
    }
  }

  /** A month: its page, its set, its pack; before and after ten late changes. */
  async monthAgrees(): Promise<void> {
    const { world } = this;
    const edges = periodEdges(world.app);
    const sealed = new Map<string, string>();
    for (const period of ['2026-07', '2026-08', '2026-09', '2026-10']) {
      const { folder } = await closePeriod(edges, { period, by: 'Ann', acceptOpen: 'told to the Service' });
      sealed.set(period, join(world.out, folder));
    }
    await reviewPeriod(edges, { period: '2026-10', by: 'Ben' });
    await this.packAgrees(sealed);
    const october = sealed.get('2026-10') ?? '';
    // By the month in which it was earned: that of the release.
    const shares = this.rows('records', october).filter(({ earned_month }) => earned_month === '2026-10');
    const accrued = this.rows('revenue_legs', october).filter(({ business_month }) => business_month === '2026-10');
    const inFiat = ({ fiat_currency = '' }: Cells) => fiat_currency;
    expect(sumsOf(shares, inFiat, 'host_share')).toEqual(
      sumsOf(accrued, ({ currency = '' }) => currency, 'accrued_total'),
    );
    for (const id of this.ids.filter((each) => each.startsWith('p')).slice(0, 10)) {
      const answer = this.reality.answer(id);
      world.server.answers.set(id, {
        ...answer,
        body: (answer.body ?? '').replace(/"baseServiceFee":\s*(\d)/, '"baseServiceFee":9$1'),
      });
    }
    await this.night('2026-11-02', 0);
    const { folder } = await publishDelta(edges, { period: '2026-10', by: 'Ben' });
    const late = this.rows('records', join(world.out, folder));
    expect([late.length > 0, (await this.page('/months/2026-10')).includes('Delta 1')]).toEqual([true, true]);
    // What was sealed stays as it was, on the page, in the pack and in the books.
    await this.packAgrees(sealed);
    await this.booksAgree(shares);
  }

  /** The journal, as book-keepers' programs read it where they are installed, is what the rows of the sealed month come to. */
  private async booksAgree(shares: readonly Cells[]): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'tieout-books-'));
    const file = async (format: 'hledger' | 'beancount') => {
      const { files } = await writtenJournal(this.world.app, { wanted: { period: '2026-10' }, format });
      const [{ name, content } = { name: '', content: '' }] = files;
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const [journal, bean] = [await file('hledger'), await file('beancount')];
    // An entry a currency and kind, each rounded to the places of its currency.
    const entries = sumsOf(shares, ({ fiat_currency = '', kind = '' }) => `${fiat_currency} ${kind}`, 'host_share');
    const due = new Map<string, number>();
    for (const [key, sum] of Object.entries(entries)) {
      const code = key.slice(0, 3);
      const places = minorUnitDigits(code) ?? 2;
      const rounded = Number(Decimal.of(sum, 60).toPlaces(places));
      due.set(code, Number(((due.get(code) ?? 0) + rounded).toFixed(places)));
    }
    expect(due.size).toBeGreaterThan(0);
    const query = "SELECT sum(position) WHERE account ~ '^Income' GROUP BY currency";
    for (const [program, check, ask] of [
      ['hledger', ['check', '--strict', '-f', journal], ['-f', journal, 'bal', '^Income', '--no-total']],
      ['ledger', ['-f', journal, 'accounts'], ['-f', journal, 'bal', '^Income']],
      ['bean-check', [bean], null],
      ['bean-query', null, ['-q', bean, query]],
    ] as const) {
      if (!existsSync(`/usr/bin/${program}`)) continue;
      if (check !== null) expect(spawnSync(program, check).status, program).toBe(0);
      if (ask === null) continue;
      const { stdout } = spawnSync(program, ask, { encoding: 'utf8' });
      const read = [...stdout.matchAll(/(-?[\d.,]+) +([A-Z]{3})/g)].map(([, n = '', code = '']) => [
        code,
        -Number(n.replaceAll(',', '')),
      ]);
      expect([program, Object.fromEntries(read)]).toEqual([program, Object.fromEntries(due)]);
    }
    rmSync(folder, { recursive: true });
  }

  private async packAgrees(sealed: ReadonlyMap<string, string>): Promise<void> {
    const { app, out } = this.world;
    for (const folder of sealed.values()) expect(violationsOf(folder)).toEqual([]);
    const { folder } = await packMonth(app, '2026-10', { out: join(out, 'packs'), published: out });
    const moved = this.rows('movement', folder);
    const closing = sumsOf(moved, ({ currency = '' }) => currency, 'closing_money_at_stake');
    const sets = [...sealed.values()].flatMap((set) =>
      readManifestOf(set).money_at_stake.map(({ currency, total }) => ({ currency, total })),
    );
    expect(closing).toEqual(sumsOf(sets, ({ currency = '' }) => currency, 'total'));
    const count = moved.reduce((n, row) => n + Number(row.closing_count), 0);
    const open = [...sealed.values()].reduce((n, set) => n + (readManifestOf(set).breaks.open ?? 0), 0);
    const page = await this.page('/months/2026-10');
    const lead = /= <strong>([\d,]+)<\/strong> at the end/.exec(page)?.[1]?.replaceAll(',', '');
    expect([count, Number(lead)]).toEqual([open, open]);
    const october = readManifestOf(sealed.get('2026-10') ?? '');
    expect(page).toContain(`Records</dt><dd>${october.population.toLocaleString('en-US')}`);
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toContain(`"population": ${october.population}`);
  }
}

/** The tests of such a month. */
export function itAgrees(records: number): void {
  vi.setConfig(PATIENCE);

  let month: GeneratedMonth;
  beforeAll(async () => {
    month = await GeneratedMonth.open(records);
  }, PATIENCE.hookTimeout);
  afterAll(() => month?.close());

  describe('in a month with restatements, a waiver, claims and a late delta, one figure is', () => {
    it('money at stake: in the files, the manifest, the metric and the queue', () => month.stakeAgrees());
    it('what is pending, claimed and waived, and all of it in the reporting currency: in the files, the manifest, the notice and the page', () =>
      month.wordsAgree());
    it('what is claimed: in the rows, the letter, the page and the overview', () => month.claimsAgree());
    it('a closed month: on its page, in its set and in its pack', () => month.monthAgrees());
  });
}
