/** What must hold in any published set; each violation in words. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cells, type Dialect, readManifestOf, readRows, readSheets, STANDARD, scaled, sum } from './published.ts';

const VERDICTS = ['matched', 'pending', 'break', 'unverified', 'quarantined', 'waived'];
const OPEN = ['open', 'acknowledged', 'reopened'];
const recordOf = ({ kind, record_id: id }: Cells) => `${kind} ${id}`;
const isOpen = ({ state = '' }: Cells) => OPEN.includes(state);

export function violationsOf(folder: string, dialect: Dialect = STANDARD): string[] {
  const found: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds) found.push(`${folder}: ${what}`);
  };
  const rows = (name: string) => readRows(folder, name, dialect);
  const tables = {
    records: rows('records'),
    breaks: rows('breaks'),
    fees: rows('fees'),
    totals: rows('totals'),
    host_revenue: rows('host_revenue'),
    ageing: rows('ageing'),
  };
  const manifest = readManifestOf(folder);
  checkVerdicts(tables.records, tables.totals, manifest, expect);
  checkFees(tables.fees, expect);
  checkTotals(tables, expect);
  checkRevenue(tables.records, tables.host_revenue, expect);
  checkBreaks(tables.records, tables.breaks, expect);
  checkStakes(tables.records, tables.breaks, manifest, expect);
  checkAgeing(tables.breaks, tables.ageing, expect);
  checkManifest(folder, dialect, manifest, expect);
  if (existsSync(join(folder, 'deliveries.csv'))) checkDeliveries(rows('deliveries'), tables, expect);
  if (existsSync(join(folder, 'report.xlsx'))) checkWorkbook(folder, manifest, expect);
  if (existsSync(join(folder, 'report.html'))) checkPage(folder, manifest, expect);
  return found;
}

type Expect = (holds: boolean, what: string) => void;
type Manifest = ReturnType<typeof readManifestOf>;
type Tables = Record<'records' | 'breaks' | 'fees' | 'totals' | 'host_revenue' | 'ageing', readonly Cells[]>;

function checkVerdicts(records: readonly Cells[], totals: readonly Cells[], manifest: Manifest, expect: Expect): void {
  let all = 0;
  expect(new Set(records.map(recordOf)).size === records.length, 'a record is there twice');
  for (const verdict of VERDICTS) {
    const here = records.filter((row) => row.verdict === verdict).length;
    const added = totals.reduce((count, row) => count + Number(row[`${verdict}_count`]), 0);
    all += here;
    expect(manifest.verdicts[verdict] === here, `${verdict}: ${here} rows, manifest ${manifest.verdicts[verdict]}`);
    expect(added === here, `${verdict}: ${here} rows, totals ${added}`);
  }
  expect(
    all === records.length && all === manifest.population,
    `six verdicts ${all}, population ${manifest.population}`,
  );
  for (const row of totals) {
    const parts = VERDICTS.reduce((count, verdict) => count + Number(row[`${verdict}_count`]), 0);
    expect(parts === Number(row.record_count), `a row of totals counts ${row.record_count}, its verdicts ${parts}`);
  }
}

/** applied − quoted = variance = base + network + adjustment; unknown is empty. */
function checkFees(fees: readonly Cells[], expect: Expect): void {
  for (const row of fees) {
    const name = recordOf(row);
    for (const part of ['applied_fee', 'base_fee', 'network_fee', 'adjustment']) {
      const [actual, quoted] = [scaled(row[`actual_${part}`]), scaled(row[`quoted_${part}`])];
      const variance = scaled(row[`${part}_variance`]);
      if (variance === null || (part === 'adjustment' && (actual === null || quoted === null))) continue;
      expect(actual !== null && quoted !== null && actual - quoted === variance, `${name}: ${part} does not foot`);
    }
    const whole = scaled(row.applied_fee_variance);
    const parts = [row.base_fee_variance, row.network_fee_variance, row.adjustment_variance];
    if (whole === null)
      expect(
        parts.every((cell) => cell === ''),
        `${name}: parts of an unknown variance`,
      );
    else expect(sum(parts) === whole, `${name}: the parts are not the variance`);
    expect(row.tolerance_reason !== '', `${name}: no reason`);
    const unknown = whole !== null && (row.base_fee_variance === '' || row.network_fee_variance === '');
    if (unknown)
      expect(/it is in the adjustment/.test(row.tolerance_reason ?? ''), `${name}: an unknown part is not told`);
  }
}

/** Every total is the sum of its rows. Printed rows of rounded files add up to a rounded total only within a unit a row. */
function checkTotals({ records, fees, totals }: Tables, expect: Expect): void {
  const keyOf = (row: Cells) => [row.kind, row.fiat_currency, row.payment_method, row.status].join('|');
  const grouped = Map.groupBy(records, keyOf);
  const feeOf = new Map(fees.map((row) => [recordOf(row), row]));
  expect(grouped.size === totals.length, `totals has ${totals.length} groups of ${grouped.size}`);
  for (const row of totals) {
    const group = grouped.get(keyOf(row)) ?? [];
    const compared = group
      .map((record) => feeOf.get(recordOf(record)))
      .filter((fee) => fee !== undefined && fee.applied_fee_variance !== '') as Cells[];
    const [applied, quoted] = [row.compared_applied_fee_total, row.quoted_applied_fee_total];
    expect(Number(row.record_count) === group.length, `${keyOf(row)}: ${row.record_count} of ${group.length} records`);
    expect(Number(row.compared_count) === compared.length, `${keyOf(row)}: compared ${row.compared_count}`);
    expect(
      sum([applied]) - sum([quoted]) === sum([row.applied_fee_variance_total]),
      `${keyOf(row)}: compared − quoted is not the variance`,
    );
    const sums: [string, bigint][] = [
      ...['fiat_value', 'applied_fee', 'base_fee', 'network_fee', 'host_fee_cut'].map((name): [string, bigint] => [
        `${name}_total`,
        sum(group.map((record) => record[name])),
      ]),
      ['compared_applied_fee_total', sum(compared.map((fee) => fee.actual_applied_fee))],
      ['quoted_applied_fee_total', sum(compared.map((fee) => fee.quoted_applied_fee))],
      ['quoted_fiat_value_total', sum(compared.map((fee) => fee.quoted_fiat_value))],
      ['applied_fee_variance_total', sum(compared.map((fee) => fee.applied_fee_variance))],
    ];
    for (const [column, total] of sums) {
      const apart = sum([row[column]]) - total;
      expect(within(apart, group.length), `${keyOf(row)}: ${column} is not the sum of its rows`);
    }
  }
}

/** By month of creation, kind, currency and method. */
function checkRevenue(records: readonly Cells[], revenue: readonly Cells[], expect: Expect): void {
  const keyOf = (row: Cells) => [row.business_month, row.kind, row.fiat_currency, row.payment_method].join('|');
  const groups = Map.groupBy(
    records.filter(({ fiat_currency: currency }) => currency !== ''),
    keyOf,
  );
  expect(groups.size === revenue.length, `host_revenue has ${revenue.length} groups of ${groups.size}`);
  for (const row of revenue) {
    const group = groups.get(keyOf(row)) ?? [];
    const without = group.filter(({ host_fee_cut: cut }) => cut === '').length;
    expect(Number(row.record_count) === group.length, `${keyOf(row)}: ${row.record_count} of ${group.length} records`);
    expect(Number(row.records_without_host_fee_cut) === without, `${keyOf(row)}: ${without} without a host fee cut`);
    for (const column of ['fiat_value', 'host_fee_cut']) {
      const apart = sum([row[`${column}_total`]]) - sum(group.map((record) => record[column]));
      expect(within(apart, group.length), `host_revenue ${keyOf(row)}: ${column} is not the sum of its records`);
    }
  }
}

/** A record counts its open breaks, and a difference is actual − expected. */
function checkBreaks(records: readonly Cells[], breaks: readonly Cells[], expect: Expect): void {
  const open = Map.groupBy(breaks.filter(isOpen), recordOf);
  for (const row of records) {
    const count = open.get(recordOf(row))?.length ?? 0;
    expect(Number(row.break_count) === count, `${recordOf(row)} has ${count} breaks, not ${row.break_count}`);
  }
  for (const row of breaks.filter(({ difference }) => difference !== '')) {
    const apart = sum([row.actual]) - sum([row.expected]) - sum([row.difference]);
    expect(within(apart, 1), `${row.rule} of ${recordOf(row)}: ${row.difference} is not the difference`);
  }
}

let isRounded = false;
/** For sets whose amounts are rounded: a total of exact values and the sum of rounded rows are a unit a row apart at most. */
export function allowRounding(allowed: boolean): void {
  isRounded = allowed;
}

function within(apart: bigint, rows: number): boolean {
  if (!isRounded) return apart === 0n;
  const size = apart < 0n ? -apart : apart;
  return size <= BigInt(rows + 1) * 10n ** 60n;
}

/** Money at stake stands once per record, on the leading break, and adds up to what manifest and summary say. */
function checkStakes(records: readonly Cells[], breaks: readonly Cells[], manifest: Manifest, expect: Expect): void {
  const staked = breaks.filter((row) => row.money_at_stake !== '');
  expect(new Set(staked.map(recordOf)).size === staked.length, 'money at stake twice on a record');
  const leaders = new Set(staked.map((row) => row.break_id));
  // Money that has not moved, or is waived or claimed, is summed apart: no row has it at stake.
  const isAside = (row: Cells) => row.money_moved !== 'yes' || row.state === 'waived' || row.money_claimed !== '';
  const aside = new Set(breaks.filter(isAside).map((row) => row.break_id));
  for (const row of breaks) {
    const leader = row.leading_break_id ?? '';
    const isKnown = leader === '' || leaders.has(leader) || aside.has(leader);
    expect(isKnown, `${row.break_id} names a leading break that has no money`);
    if (row.money_at_stake !== '') expect(leader === row.break_id, `${row.break_id} has money and does not lead`);
    if (row.state === 'resolved') expect(row.money_at_stake === '', `${row.break_id} is over and has money at stake`);
  }
  const of = new Map(staked.map((row) => [recordOf(row), row.money_at_stake]));
  for (const row of records) {
    const isRead = row.fiat_currency !== '';
    expect(row.money_at_stake === (isRead ? (of.get(recordOf(row)) ?? '') : ''), `${recordOf(row)}: another stake`);
  }
  const bearerOf = (currency: string, bearer: string) => `${currency} of ${bearer}`;
  const open = Map.groupBy(staked.filter(isOpen), (row) => bearerOf(row.record_currency ?? '', row.loss_bearer ?? ''));
  // What is pending or claimed alone has a sum, and no row that is at stake.
  const summed = manifest.money_at_stake.filter(({ records: count }) => count > 0);
  expect(open.size === summed.length, 'the manifest has other currencies or bearers at stake');
  for (const { currency, bearer, records: count, total } of manifest.money_at_stake) {
    const rows = open.get(bearerOf(currency, bearer)) ?? [];
    const name = bearerOf(currency, bearer);
    expect(rows.length === count, `${name}: ${rows.length} records at stake, manifest ${count}`);
    const isSigned = bearer === 'service' ? sum([total]) <= 0n : sum([total]) >= 0n;
    expect(isSigned, `${name}: losses of different bearers are netted`);
    const apart = sum(rows.map((row) => row.money_at_stake)) - sum([total]);
    expect(within(apart, rows.length), `${name}: money at stake is not the sum of its rows`);
  }
  // A payment of revenue, a market and a run are no records.
  const isOfRecord = (row: Cells) => row.kind === 'purchase' || row.kind === 'sale';
  const atRisk = breaks.filter((row) => isOpen(row) && isOfRecord(row)).map(recordOf);
  expect(new Set(atRisk).size === manifest.records_at_risk, 'records at risk');
  const waived = breaks.filter(({ state }) => state === 'waived');
  expect(manifest.waived.reduce((count, each) => count + each.breaks, 0) === waived.length, 'waived by whom');
  expect(breaks.filter(isOpen).length === manifest.breaks.open, 'open breaks');
  expect(waived.length === manifest.breaks.waived, 'waived breaks');
}

/** Of days. */
const BANDS = [
  ['days_0_1', 0, 1],
  ['days_2_7', 2, 7],
  ['days_8_30', 8, 30],
  ['days_31_90', 31, 90],
  ['days_over_90', 91, Number.POSITIVE_INFINITY],
] as const;

function checkAgeing(breaks: readonly Cells[], ageing: readonly Cells[], expect: Expect): void {
  const keyOf = (row: Cells) => [row.rule, row.severity, row.currency].join('|');
  const groups = Map.groupBy(breaks.filter(isOpen), keyOf);
  expect(groups.size === ageing.length, 'ageing has other groups');
  for (const row of ageing) {
    const group = groups.get(keyOf(row)) ?? [];
    expect(Number(row.open_count) === group.length, `ageing ${keyOf(row)}: ${row.open_count} of ${group.length}`);
    for (const [band, from, to] of BANDS) {
      const count = group.filter(({ age_days: age }) => Number(age) >= from && Number(age) <= to).length;
      expect(Number(row[band]) === count, `ageing ${keyOf(row)} has ${row[band]} in ${band}, the breaks ${count}`);
    }
    const money = group.filter(({ unit }) => unit === 'money').map((each) => each.difference);
    const apart = sum([row.difference_total]) - sum(money);
    expect(within(apart, group.length), `ageing ${keyOf(row)}: not the sum of its money`);
  }
}

/** Delivered − promised = difference; an unverified delivery is no break, a broken one is. */
function checkDeliveries(deliveries: readonly Cells[], { records, breaks }: Tables, expect: Expect): void {
  const known = new Set(records.map(recordOf));
  expect(new Set(deliveries.map(recordOf)).size === deliveries.length, 'a record has two deliveries');
  const told = breaks.filter(({ rule = '', state }) => rule.startsWith('DELIVERY_') && state !== 'resolved');
  const standing = Map.groupBy(told, recordOf);
  for (const row of deliveries) {
    const name = recordOf(row);
    const { outcome = '' } = row;
    // Spreadsheets would round units of more than 15 digits: they are marked as texts for them.
    const units = (column: string) => row[`${column}_units`]?.replace(/^'/, '');
    const [promised, came, difference] = [units('expected'), units('delivered'), units('difference')];
    expect(known.has(name), `${name}: a delivery of no record`);
    expect(['met', 'late', 'broken', 'unverified'].includes(outcome), `${name}: ${outcome} is no outcome`);
    if (difference !== '') expect(sum([came]) - sum([promised]) === sum([difference]), `${name}: units do not foot`);
    const breaksOf = standing.get(name)?.length ?? 0;
    if (outcome === 'late' || outcome === 'broken') expect(breaksOf > 0, `${name}: ${outcome}, and no break says so`);
    else expect(breaksOf === 0, `${name}: ${outcome}, and a break of its delivery stands`);
  }
}

/** Per file, currency and column, as the manifest says where the currency of a column is. */
function checkManifest(folder: string, dialect: Dialect, manifest: Manifest, expect: Expect): void {
  for (const { name, rows, totals, currency_columns: currencies } of manifest.files) {
    if (!name.endsWith('.csv')) continue;
    const table = readRows(folder, name.replace('.csv', ''), dialect);
    expect(table.length === rows, `${name} has ${table.length} rows, manifest ${rows}`);
    for (const [column, currencyColumn] of Object.entries(currencies)) {
      for (const [currency, group] of Map.groupBy(table, (row) => row[currencyColumn] ?? '')) {
        const known = group.filter((row) => (row[column] ?? '') !== '');
        const told = totals[currency]?.[column];
        if (known.length === 0) expect(told === undefined, `${name} ${column} ${currency}: a total of nothing`);
        else expect(sum(known.map((row) => row[column])) === scaled(told), `${name} ${column} ${currency}: ${told}`);
      }
    }
  }
}

/** Below each table, a total per currency is the sum of the rows above it. */
function checkWorkbook(folder: string, manifest: Manifest, expect: Expect): void {
  const sheets = readSheets(folder);
  for (const { name: file, currency_columns: currencies } of manifest.files) {
    const rows = sheets.get(file.replace('.csv', ''));
    if (rows === undefined) continue;
    const [header = {}, ...body] = rows;
    const columnOf = new Map(Object.entries(header).map(([letter, name]) => [name, letter]));
    const isTotal = (row: Cells) => row.A?.startsWith('Total ') === true;
    for (const row of body.filter(isTotal)) {
      const currency = row.A?.replace('Total ', '').replace('(no unit)', '') ?? '';
      for (const [column, currencyColumn] of Object.entries(currencies)) {
        const [at = '', unit = ''] = [columnOf.get(column), columnOf.get(currencyColumn)];
        if (row[at] === undefined) continue;
        const above = body.filter((each) => !isTotal(each) && (each[unit] ?? '') === currency);
        expect(sum(above.map((each) => each[at])) === scaled(row[at]), `sheet ${file} ${column} ${currency}`);
      }
    }
  }
  const [, ...control] = sheets.get('Control totals') ?? [];
  const told = control.map(({ A: file = '', B: column = '', C: currency = '', E: exact }) => [
    file,
    column,
    currency,
    exact,
  ]);
  checkControlTotals(told, manifest, expect);
  const summary = sheets.get('Summary') ?? [];
  for (const { currency, total } of manifest.money_at_stake) {
    expect(
      summary.some((row) => row.A === currency && row.C === total),
      `summary sheet: ${currency} ${total}`,
    );
  }
  for (const verdict of VERDICTS) {
    const count = String(manifest.verdicts[verdict]);
    expect(
      summary.some((row) => row.A === verdict && row.B === count),
      `summary sheet: ${verdict} ${count}`,
    );
  }
}

/** Every total of the manifest, as `[file, column, currency, total]`. */
function checkControlTotals(
  told: readonly (readonly (string | undefined)[])[],
  { files }: Manifest,
  expect: Expect,
): void {
  const keyOf = (file: unknown, column: unknown, currency: unknown, total: bigint | null) =>
    [file, column, currency, total].join(' ');
  const expected = files.flatMap(({ name, totals }) =>
    Object.entries(totals).flatMap(([currency, columns]) =>
      Object.entries(columns).map(([column, total]) => keyOf(name, column, currency, scaled(total))),
    ),
  );
  const found = told.map(([file, column, currency, total]) => keyOf(file, column, currency, scaled(total)));
  expect(found.sort().join('\n') === expected.sort().join('\n'), 'the control totals are not those of the manifest');
}

/** The page keeps the exact amount beside each one that it shows. */
function checkPage(folder: string, manifest: Manifest, expect: Expect): void {
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  const head = page.slice(page.indexOf('class="stake"'), page.indexOf('class="headline'));
  const amounts = [...head.matchAll(/<data value="([^"]*)" title="exactly [^ ]* ([^"]*)"/g)].map(
    ([, amount, code]) => `${code} ${amount}`,
  );
  // A currency of which all is pending or claimed is no headline.
  const staked = manifest.money_at_stake.filter(({ records }) => records > 0);
  const told = staked.map(({ currency, total }) => `${currency} ${total}`);
  expect(amounts.join() === told.join(), `the page begins with ${amounts.join()}, the manifest with ${told.join()}`);
  const table = /<table><caption><span>Control totals.*?<tbody>(.*?)<\/tbody>/s.exec(page)?.[1] ?? '';
  const rows = table.split('</tr>').filter((row) => row.includes('<th'));
  const cells = rows.map((row) => row.split(/<\/t[dh]>/).map((cell) => cell.replace(/<[^>]*>/g, '').trim()));
  checkControlTotals(cells, manifest, expect);
  const percents = [...page.matchAll(/<tr><th scope="row">([A-Z]{3})<\/th>.*?<\/tr>/gs)].length;
  expect(percents > 0 || manifest.population === 0, 'the page has no currencies');
}

/** From one night to the next: opening + new − closed = closing, counted by break. */
export function movementViolations(before: readonly Cells[], after: readonly Cells[], name: string): string[] {
  const standing = (rows: readonly Cells[]) =>
    new Set(rows.filter(({ state }) => state !== 'resolved').map((row) => row.break_id));
  const [opening, closing] = [standing(before), standing(after)];
  const over = new Set(after.filter(({ state }) => state === 'resolved').map((row) => row.break_id));
  const closed = [...opening].filter((id) => over.has(id));
  const entered = [...closing].filter((id) => !opening.has(id)).length;
  const vanished = [...opening].filter((id) => !closing.has(id) && !over.has(id));
  const found: string[] = [];
  if (opening.size + entered - closed.length !== closing.size) {
    found.push(`${name}: ${opening.size} + ${entered} − ${closed.length} is not ${closing.size}`);
  }
  if (vanished.length > 0) found.push(`${name}: ${vanished.length} breaks vanished`);
  return found;
}
