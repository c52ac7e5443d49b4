import type { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import { SEVERITIES, type Severity, severityRank } from '../../src/domain/finding.ts';
import { largestFirst, type Reporting } from '../../src/domain/reporting.ts';
import type { StakeFigures } from '../../src/domain/stake-tally.ts';
import type { CellOf, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { counted } from '../../src/text/counts.ts';
import { countOf, decimalOf, figure, known, left, money, right } from './cells.ts';

const BANDS = [
  { column: 'days_0_1', title: '0–1 days', tone: 'age1' },
  { column: 'days_2_7', title: '2–7 days', tone: 'age2' },
  { column: 'days_8_30', title: '8–30 days', tone: 'age3' },
  { column: 'days_31_90', title: '31–90 days', tone: 'age4' },
  { column: 'days_over_90', title: 'over 90 days', tone: 'age5' },
] as const satisfies readonly { column: string; title: string; tone: Tone }[];

/** Breaks that the page shows in full; all are in breaks.csv. */
const LISTED = 15;
const OPEN = new Set(['open', 'acknowledged', 'reopened']);

interface RuleRow {
  rule: string;
  severity: string;
  open: number;
  ages: number[];
}

interface OpenBreak {
  id: string;
  /** The app's own reference; empty where it gave none. */
  reference: string;
  /** Null where another break of the record leads, or no money is at stake. */
  stake: Decimal | null;
  currency: string;
  rule: string;
  severity: string;
  kind: string;
  recordId: string;
  age: number;
  assignee: string;
  explanation: string;
}

/** The work list by rule and age, and the worst of it in words. */
export const breaksView: View = {
  name: 'breaks',
  start: ({ breaks, stake, reporting, actions }) => {
    const rules = new Map<string, RuleRow>();
    const worst: OpenBreak[] = [];
    let unassigned = 0;
    let listed = 0;
    return {
      rows: {
        ageing: (cell) => addAges(rules, cell),
        breaks: (cell) => {
          if (!OPEN.has(cell('state'))) return;
          listed++;
          if (cell('assignee') === '') unassigned++;
          keepWorst(worst, openBreak(cell), reporting);
        },
      },
      sections: () => {
        const rows = [...rules.values()].sort(
          (a, b) => rankOf(b.severity) - rankOf(a.severity) || b.open - a.open || (a.rule < b.rule ? -1 : 1),
        );
        const old = rows.reduce((sum, { ages }) => sum + (ages[3] ?? 0) + (ages[4] ?? 0), 0);
        const lead =
          listed === 0
            ? 'No break is open.'
            : `${counted(listed, 'open break')}${breaks === null ? '' : `, ${breaks.opened} of them new in this run`}; ${old === 0 ? 'none is' : counted(old, 'is', 'are')} older than 30 days, and ${counted(unassigned, 'is', 'are')} not assigned.`;
        return {
          id: 'breaks',
          title: 'Breaks',
          lead,
          figures: [
            ...(listed === 0 ? [] : [worstOf(worst, listed, actions), byRule(rows)]),
            ...(stake === null || stake.waived.length === 0 ? [] : [waivedBy(stake.waived)]),
          ],
        };
      },
    };
  },
};

function addAges(rules: Map<string, RuleRow>, cell: CellOf): void {
  const [rule, severity] = [cell('rule'), cell('severity')];
  const group = entryOf(rules, `${rule}\n${severity}`, () => ({ rule, severity, open: 0, ages: BANDS.map(() => 0) }));
  group.open += countOf(cell('open_count'));
  group.ages = BANDS.map(({ column }, i) => (group.ages[i] ?? 0) + countOf(cell(column)));
}

function openBreak(cell: CellOf): OpenBreak {
  return {
    id: cell('break_id'),
    reference: cell('host_reference'),
    stake: decimalOf(cell('money_at_stake')),
    currency: cell('record_currency'),
    rule: cell('rule'),
    severity: cell('severity'),
    kind: cell('kind'),
    recordId: cell('record_id'),
    assignee: cell('assignee'),
    explanation: cell('explanation'),
    age: countOf(cell('age_days')),
  };
}

function rankOf(severity: string): number {
  return (SEVERITIES as readonly string[]).includes(severity) ? severityRank(severity as Severity) : -1;
}

/** In the order of `breaks list`; never more than are listed. */
function keepWorst(worst: OpenBreak[], each: OpenBreak, reporting: Reporting | null): void {
  const place = worst.findIndex((other) => byWeight(each, other, reporting) < 0);
  if (place === -1) worst.push(each);
  else worst.splice(place, 0, each);
  if (worst.length > LISTED) worst.pop();
}

/** By severity, money at stake, age. */
function byWeight(a: OpenBreak, b: OpenBreak, reporting: Reporting | null): number {
  return rankOf(b.severity) - rankOf(a.severity) || byMoney(a, b, reporting) || b.age - a.age;
}

function byMoney(a: OpenBreak, b: OpenBreak, reporting: Reporting | null): number {
  if (a.stake === null || b.stake === null) return Number(a.stake === null) - Number(b.stake === null);
  const [one, other] = [
    { ...a, amount: a.stake },
    { ...b, amount: b.stake },
  ];
  return largestFirst(one, other, reporting);
}

const badge = (severity: string): Shown => ({
  badge: severity,
  tone: severity === 'critical' || severity === 'high' || severity === 'medium' ? severity : 'low',
});

/** The table is by severity, the chart by number: a bar is compared with its neighbours. */
function byRule(rows: readonly RuleRow[]) {
  const drawn = rows.toSorted((a, b) => b.open - a.open || (a.rule < b.rule ? -1 : 1));
  return figure({
    title: 'Open breaks by rule and age',
    chart: {
      type: 'stacked',
      unit: 'open breaks',
      categories: drawn.map(({ rule }) => rule),
      series: BANDS.map(({ title, tone }, i) => ({ name: title, tone, values: drawn.map(({ ages }) => ages[i] ?? 0) })),
    },
    caption: 'Open breaks by rule, worst severity first; ages in calendar days since first seen',
    columns: [...left('Rule', 'Severity'), ...right('Open', ...BANDS.map(({ title }) => title))],
    rows: rows.map(({ rule, severity, open, ages }): Shown[] => [
      { code: rule },
      badge(severity),
      { count: open },
      ...ages.map((count) => ({ count })),
    ]),
    note: 'ageing.csv has the money of each rule, per currency. One cause may open several breaks; the money at stake counts it once.',
  });
}

/** Digits of an id that the commands take. */
const SHORT_ID = 12;

function worstOf(worst: readonly OpenBreak[], listed: number, actions: ReadonlyMap<string, string>) {
  return figure({
    title: listed > worst.length ? `The ${worst.length} that come first` : 'All of them',
    caption:
      'Open breaks by severity, then by money at stake per currency, then the oldest; breaks.csv has all of them with their evidence',
    columns: [
      ...left('Break', 'Reference'),
      ...right('At stake', 'Age (days)'),
      ...left('Severity', 'What is wrong', 'What to do', 'Assigned to', 'Record'),
    ],
    rows: worst.map((each): Shown[] => [
      { code: each.id.slice(0, SHORT_ID) },
      known(each.reference),
      money(each.stake, each.currency),
      { count: each.age },
      badge(each.severity),
      `${each.rule}: ${each.explanation}`,
      actions.get(each.rule) ?? null,
      each.assignee === '' ? 'not assigned' : each.assignee,
      { code: `${each.kind} ${each.recordId}` },
    ]),
    note: 'Money at stake stands on the break that explains most of it, once per record. `tieout breaks show` takes the id as it is here.',
  });
}

function waivedBy(waived: StakeFigures['waived']) {
  return figure({
    title: 'Waived, by person',
    caption: 'Breaks that people have accepted, and the money at stake of the records that only waived breaks tell of',
    columns: [...left('Person', 'Currency'), ...right('Breaks', 'Money')],
    rows: waived.map(({ by, currency, breaks, total }): Shown[] => [
      by,
      currency,
      { count: breaks },
      money(total, currency),
    ]),
  });
}
