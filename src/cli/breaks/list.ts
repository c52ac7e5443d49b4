/** `tieout breaks list`: the work list. */
import { InvalidArgumentError, Option } from 'commander';
import type { App } from '../../app/app.ts';
import { KNOWN_NAMES } from '../../app/known-names.ts';
import { reportingOf } from '../../app/reporting.ts';
import { BREAK_KINDS, BREAK_STATES, type BreakState, isOpen } from '../../domain/break.ts';
import { isMonth } from '../../domain/calendar.ts';
import { showMoney } from '../../domain/currency.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { entryOf } from '../../domain/entry-of.ts';
import { UsageError } from '../../domain/errors.ts';
import { SEVERITIES, type Severity, severityRank } from '../../domain/finding.ts';
import { largestFirst, type Reporting } from '../../domain/reporting.ts';
import { asideOf } from '../../domain/stake.ts';
import type { BreakFilter, CurrentBreak } from '../../ports/store/store.ts';
import { suggestion } from '../../text/nearest-name.ts';
import { command, type Register } from '../context.ts';
import { plainAmount, positiveNumber } from '../flags.ts';
import { shown } from '../output.ts';
import { breakAsJson } from './as-json.ts';

const SORTS = ['severity', 'money', 'age'] as const;

export const OPEN = BREAK_STATES.filter(isOpen);

export const register: Register = (program) => {
  command(program, 'breaks list', {
    summary: 'List breaks, by default those that need a decision',
    examples: [
      'tieout breaks list --rule FEE_APPLIED_DIFFERS',
      'tieout breaks list --severity high,critical --month 2026-10 --min-amount 10 --sort money',
      'tieout breaks list --state waived,resolved --limit 20 --json',
    ],
  })
    .addOption<{ state: readonly BreakState[] }>(
      new Option('--state <states>', `comma-separated: ${BREAK_STATES.join(', ')}, or all`)
        .argParser((text) => (text === 'all' ? BREAK_STATES : readNames(text, BREAK_STATES, ' and all')))
        .default(OPEN, OPEN.join(',')),
    )
    .option('--rule <code>', 'only breaks of this rule')
    .option('--severity <names>', `comma-separated: ${SEVERITIES.join(', ')}`, (text) => readNames(text, SEVERITIES))
    .option('--month <month>', 'only breaks first seen in this month, as 2026-10', readMonth)
    .option('--min-amount <n>', 'only breaks with at least this amount, in any currency', plainAmount)
    .choice('--kind <kind>', 'only breaks on purchases or sales, or about markets, payouts or runs', BREAK_KINDS)
    .option('--record <id>', 'only breaks of this record')
    .option('--assignee <name>', 'only breaks assigned to this person')
    .choice('--sort <by>', 'first criterion; the others follow in this order', SORTS, 'severity')
    .option('--limit <n>', 'number of rows at most', positiveNumber, 100)
    .runsOnApp(async (app, { out, screen }, flags) => {
      // The settings may name plugins with rules of their own.
      if (flags.rule !== undefined) {
        const { rules = [] } = KNOWN_NAMES;
        if (!rules.includes(flags.rule))
          throw new UsageError(`--rule ${flags.rule}: there is no such rule; ${suggestion(flags.rule, rules)}`);
      }
      const { state: states, rule, kind, record, assignee } = flags;
      const [tracked] = record === undefined ? [] : await app.store.tracked.find(record);
      const recordId = tracked?.id ?? record;
      const listed = await allOf(app, { states, rule, kind, recordId, assignee });
      if (record !== undefined && listed.length === 0 && tracked === undefined) throw notTracked(record);
      const reporting = await reportingOf(app, app.clock.wall.now());
      const all = listed.filter(wanted(flags)).sort((a, b) => ORDERS[flags.sort](a, b, reporting));
      const { lines: found, led } = out.json ? { lines: all, led: new Map() } : oneLineARecord(all);
      const breaks = found.slice(0, flags.limit);
      await out.list(
        { breaks: breaks.map(breakAsJson), more: found.length > breaks.length },
        breaks,
        [
          { title: 'break', cell: (each) => each.breakId.slice(0, 12) },
          { title: 'severity', cell: (each) => each.severity },
          { title: 'rule', cell: (each) => each.rule },
          { title: 'record', cell: (each) => each.recordId },
          { title: 'at stake', cell: stakeText, align: 'right' },
          { title: 'since', cell: (each) => each.firstSeenDate },
          { title: 'details', cell: (each) => detailsOf(each, led.get(each.breakId) ?? []), below: true },
        ],
        'No breaks.',
      );
      if (!out.json && found.length > breaks.length) screen.write(`There are more; --limit takes a higher number.\n`);
    });
};

/** `open, purchase, ann, difference 1.50 EUR, with FEE_BASE_DIFFERS: The user paid …` */
function detailsOf(each: CurrentBreak, led: readonly string[]): string {
  // Only money: a difference in another unit is in the explanation.
  const difference =
    each.difference === null || each.unit !== 'money' ? '' : showMoney(each.difference, each.currency ?? '').trimEnd();
  const named = [
    difference === '' ? '' : `difference ${difference}`,
    led.length === 0 ? '' : `with ${[...new Set(led)].join(', ')}`,
  ];
  const facts = [each.state, each.kind, shown(each.assignee), ...named];
  return `${facts.filter((fact) => fact !== '').join(', ')}: ${each.explanation}`;
}

/** For an unknown record an empty list would be misleading; breaks may outlive their record. */
const notTracked = (id: string) =>
  new UsageError(`the record ${id} is not tracked`, { remedy: 'give its whole id, as reports have it' });

/** The breaks that no other of the list leads, and the rules that each of them leads. */
function oneLineARecord(found: readonly CurrentBreak[]) {
  const listed = new Set(found.map(({ breakId }) => breakId));
  const isLed = ({ breakId, leadingBreakId: id }: CurrentBreak) => id !== null && id !== breakId && listed.has(id);
  const led = new Map<string, string[]>();
  for (const { leadingBreakId, rule } of found.filter(isLed)) entryOf(led, leadingBreakId ?? '', () => []).push(rule);
  return { lines: found.filter((each) => !isLed(each)), led };
}

const PAGE = 500;

type Wanted = Omit<BreakFilter, 'limit' | 'offset'>;

export async function* pagesOf({ store }: App, filter: Wanted): AsyncGenerator<readonly CurrentBreak[]> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.breaks.list({ ...filter, limit: PAGE, offset });
    yield page;
    if (page.length < PAGE) return;
  }
}

/** The work list has thousands of rows at most, because finished breaks are left out unless requested. */
export async function allOf(app: App, filter: Wanted): Promise<CurrentBreak[]> {
  const all: CurrentBreak[] = [];
  for await (const page of pagesOf(app, filter)) all.push(...page);
  return all;
}

interface Limits {
  severity?: readonly Severity[];
  month?: string;
  minAmount?: Decimal;
}

function wanted({ severity, month, minAmount }: Limits): (each: CurrentBreak) => boolean {
  return (each) =>
    (severity === undefined || severity.includes(each.severity)) &&
    (month === undefined || each.firstSeenDate.startsWith(month)) &&
    (minAmount === undefined || (moneyOf(each)?.compare(minAmount) ?? -1) >= 0);
}

/** The money at stake of the record, else the difference of the break; without a sign. */
function moneyOf({ moneyAtStake, unit, difference }: CurrentBreak): Decimal | null {
  return (moneyAtStake ?? (unit === 'money' ? difference : null))?.abs() ?? null;
}

/** Signed, once per record: on its leading break; and what of it is claimed, waived or pending. */
export function stakeText(each: CurrentBreak): string {
  const { moneyAtStake, recordCurrency } = each;
  const aside = asideOf(each);
  const inWords = (amount: Decimal | null) =>
    amount === null ? '' : showMoney(amount, recordCurrency ?? '').trimEnd();
  const kept = aside === null ? '' : `${inWords(each.moneyAside)} ${aside}`;
  return [inWords(moneyAtStake), kept].filter((text) => text !== '').join(', ');
}

type Order = (a: CurrentBreak, b: CurrentBreak, reporting: Reporting | null) => number;

const bySeverity: Order = (a, b) => severityRank(b.severity) - severityRank(a.severity);
const byAge: Order = (a, b) => (a.firstSeenDate < b.firstSeenDate ? -1 : a.firstSeenDate > b.firstSeenDate ? 1 : 0);

/** What is owed to the host first, then what is at stake, then differences with nothing at stake; rows without money last. */
const byMoney: Order = (a, b, reporting) => {
  const stake = Number(a.moneyAtStake === null) - Number(b.moneyAtStake === null);
  if (stake !== 0) return stake;
  const [one, other] = [moneyOf(a), moneyOf(b)];
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const owed = Number(b.lossBearer === 'host') - Number(a.lossBearer === 'host');
  if (owed !== 0) return owed;
  const currencyOf = ({ recordCurrency, currency }: CurrentBreak) => recordCurrency ?? currency ?? '';
  return largestFirst({ amount: one, currency: currencyOf(a) }, { amount: other, currency: currencyOf(b) }, reporting);
};

const ORDERS: Readonly<Record<(typeof SORTS)[number], Order>> = {
  severity: (a, b, reporting) => bySeverity(a, b, reporting) || byMoney(a, b, reporting) || byAge(a, b, reporting),
  money: (a, b, reporting) => byMoney(a, b, reporting) || bySeverity(a, b, reporting) || byAge(a, b, reporting),
  age: (a, b, reporting) => byAge(a, b, reporting) || bySeverity(a, b, reporting) || byMoney(a, b, reporting),
};

/** Names with commas between them. @param more a word that is allowed besides, for the message */
function readNames<Name extends string>(text: string, names: readonly Name[], more = ''): readonly Name[] {
  return text.split(',').map((word) => {
    const name = names.find((candidate) => candidate === word.trim());
    if (name === undefined) throw new InvalidArgumentError(`Allowed are ${names.join(', ')}${more}.`);
    return name;
  });
}

function readMonth(text: string): string {
  if (isMonth(text)) return text;
  throw new InvalidArgumentError('Write a month as 2026-10.');
}
