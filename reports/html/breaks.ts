import type { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import { SEVERITIES, type Severity, severityRank } from '../../src/domain/finding.ts';
import { largestFirst, type Reporting } from '../../src/domain/reporting.ts';
import type { StakeFigures } from '../../src/domain/stake-tally.ts';
import type { Shown, Tone, View } from '../../src/ports/html-view.ts';
import { addKnown } from '../define.ts';
import { counted, countOf, decimalOf, left, right } from './cells.ts';

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
  differences: Map<string, Decimal>;
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
      open: (table, at) => {
        if (table === 'ageing') return ageingReader(at, rules);
        if (table !== 'breaks') return null;
        const read = breakReader(at);
        const state = at('state');
        return (row) => {
          if (!OPEN.has(row[state] ?? '')) return;
          const each = read(row);
          listed++;
          if (each.assignee === '') unassigned++;
          keepWorst(worst, each, reporting);
        };
      },
      sections: () => {
        const rows = [...rules.values()].sort(
          (a, b) => rankOf(b.severity) - rankOf(a.severity) || b.open - a.open || (a.rule < b.rule ? -1 : 1),
        );
        const old = rows.reduce((sum, { ages }) => sum + (ages[3] ?? 0) + (ages[4] ?? 0), 0);
        const lead =
          listed === 0
            ? 'No break is open.'
            : `${counted(listed, 'open break')}${breaks === null ? '' : `, ${breaks.opened} of them new in this run`}; ${old === 0 ? 'none is' : `${old} ${old === 1 ? 'is' : 'are'}`} older than 30 days, and ${unassigned} ${unassigned === 1 ? 'is' : 'are'} not assigned.`;
        return [
          {
            id: 'breaks',
            title: 'Breaks',
            lead,
            figures: [
              ...(listed === 0 ? [] : [worstOf(worst, listed, actions), byRule(rows)]),
              ...(stake === null || stake.waived.length === 0 ? [] : [waivedBy(stake.waived)]),
            ],
          },
        ];
      },
    };
  },
};

function ageingReader(at: (column: string) => number, rules: Map<string, RuleRow>) {
  const [rule, severity, currency, open, difference] = [
    at('rule'),
    at('severity'),
    at('currency'),
    at('open_count'),
    at('difference_total'),
  ];
  const bands = BANDS.map(({ column }) => at(column));
  return (row: readonly string[]) => {
    const name = row[rule] ?? '';
    const group = entryOf(rules, `${name}\n${row[severity]}`, () => ({
      rule: name,
      severity: row[severity] ?? '',
      open: 0,
      ages: BANDS.map(() => 0),
      differences: new Map(),
    }));
    group.open += countOf(row[open]);
    for (const [i, place] of bands.entries()) group.ages[i] = (group.ages[i] ?? 0) + countOf(row[place]);
    const unit = row[currency] ?? '';
    const sum = addKnown(group.differences.get(unit) ?? null, decimalOf(row[difference]));
    // Differences of different currencies stand side by side: a sum over them would mean nothing.
    if (sum !== null) group.differences.set(unit, sum);
  };
}

function breakReader(at: (column: string) => number): (row: readonly string[]) => OpenBreak {
  const places = {
    id: at('break_id'),
    reference: at('host_reference'),
    stake: at('money_at_stake'),
    currency: at('record_currency'),
    rule: at('rule'),
    severity: at('severity'),
    kind: at('kind'),
    recordId: at('record_id'),
    assignee: at('assignee'),
    explanation: at('explanation'),
  };
  const age = at('age_days');
  return (row) => ({
    id: row[places.id] ?? '',
    reference: row[places.reference] ?? '',
    stake: decimalOf(row[places.stake]),
    currency: row[places.currency] ?? '',
    rule: row[places.rule] ?? '',
    severity: row[places.severity] ?? '',
    kind: row[places.kind] ?? '',
    recordId: row[places.recordId] ?? '',
    assignee: row[places.assignee] ?? '',
    explanation: row[places.explanation] ?? '',
    age: countOf(row[age]),
  });
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
  return {
    title: 'Open breaks by rule and age',
    chart: {
      type: 'stacked' as const,
      unit: 'open breaks',
      categories: drawn.map(({ rule }) => rule),
      series: BANDS.map(({ title, tone }, i) => ({ name: title, tone, values: drawn.map(({ ages }) => ages[i] ?? 0) })),
    },
    table: {
      caption: 'Open breaks by rule, worst severity first; ages in calendar days since first seen',
      columns: [
        { title: 'Rule' },
        { title: 'Severity' },
        { title: 'Open', align: 'right' as const },
        ...BANDS.map(({ title }) => ({ title, align: 'right' as const })),
      ],
      rows: rows.map(({ rule, severity, open, ages }): Shown[] => [
        { code: rule },
        badge(severity),
        { count: open },
        ...ages.map((count) => ({ count })),
      ]),
    },
    note: 'ageing.csv has the money of each rule, per currency. One cause may open several breaks; the money at stake counts it once.',
  };
}

/** Digits of an id that the commands take. */
const SHORT_ID = 12;

function worstOf(worst: readonly OpenBreak[], listed: number, actions: ReadonlyMap<string, string>) {
  return {
    title: listed > worst.length ? `The ${worst.length} that come first` : 'All of them',
    chart: null,
    table: {
      caption:
        'Open breaks by severity, then by money at stake per currency, then the oldest; breaks.csv has all of them with their evidence',
      columns: [
        ...left('Break', 'Reference'),
        ...right('At stake', 'Age (days)'),
        ...left('Severity', 'What is wrong', 'What to do', 'Assigned to', 'Record'),
      ],
      rows: worst.map((each): Shown[] => [
        { code: each.id.slice(0, SHORT_ID) },
        each.reference === '' ? null : each.reference,
        each.stake === null ? null : { amount: each.stake, currency: each.currency },
        { count: each.age },
        badge(each.severity),
        `${each.rule}: ${each.explanation}`,
        actions.get(each.rule) ?? null,
        each.assignee === '' ? 'not assigned' : each.assignee,
        { code: `${each.kind} ${each.recordId}` },
      ]),
    },
    note: 'Money at stake stands on the break that explains most of it, once per record. `tieout breaks show` takes the id as it is here.',
  };
}

function waivedBy(waived: StakeFigures['waived']) {
  return {
    title: 'Waived, by person',
    chart: null,
    table: {
      caption:
        'Breaks that people have accepted, and the money at stake of the records that only waived breaks tell of',
      columns: [...left('Person', 'Currency'), ...right('Breaks', 'Money')],
      rows: waived.map(({ by, currency, breaks, total }): Shown[] => [
        by,
        currency,
        { count: breaks },
        total === null || currency === null ? null : { amount: total, currency },
      ]),
    },
  };
}
