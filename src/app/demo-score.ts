/** The breaks that a demonstration published, compared with the answer key of its Service. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';
import { type Severity, severityRank } from '../domain/finding.ts';
import { ownRules } from '../rules/index.ts';
import type { DueEntry, DueFigures, MarketDue, PayoutDue } from '../sandbox/contract.ts';

interface Counted {
  injected: number;
  /** With the figures of the answer key: expected, actual, difference, its sign, unit and money at stake. */
  found: number;
  /** Breaks that were found with another figure. */
  wrong: number;
  falseAlarms: number;
}

export interface Score extends Counted {
  rows: readonly (Counted & { rule: string; severity: Severity })[];
  /** Records just inside a tolerance, on which no break is due. */
  nearMisses: number;
  /** What is wrong with figures, what was missed, and what is not due, in words. */
  problems: readonly string[];
  /** One explanation per severity, the worst first: what a reader of the file would see. */
  examples: readonly { rule: string; record: string; explanation: string }[];
  /** The beginning of the id of the worst break; null where there is none. */
  firstBreak: string | null;
}

const OWN = new Set(ownRules().map(({ code }) => code));

/** @param breaksFile a published `breaks.csv` of the standard profile; payments are known by the reference in the `payouts.csv` beside it */
export async function score(breaksFile: string, answers: Iterable<DueEntry | MarketDue | PayoutDue>): Promise<Score> {
  const references = referencesOf(join(dirname(breaksFile), 'payouts.csv'));
  const due = new Map<string, { figures: DueFigures | null; stake: number | null; defect: string }>();
  const allowed = new Set<string>();
  let nearMisses = 0;
  for (const { kind, id, defect, codes, also = [], figures } of answers) {
    for (const code of also) allowed.add(keyOf(code, kind, id));
    if (codes.length + also.length === 0) nearMisses++;
    for (const code of codes) {
      const own = figures.find((each) => each.code === code) ?? null;
      // Where several rules find one loss, one of them has the stake.
      const isAlone = figures.filter(({ loss }) => loss !== null).length === 1;
      due.set(keyOf(code, kind, id), { figures: own, stake: isAlone ? (own?.loss ?? null) : null, defect });
    }
  }
  const found = new Set<string>();
  const problems = new Map<string, string>();
  const alarms: string[] = [];
  const examples = new Map<string, Score['examples'][number]>();
  const ids = new Map<string, string>();
  const rows = createReadStream(breaksFile).pipe(parse({ columns: true })) as AsyncIterable<Record<string, string>>;
  for await (const row of rows) {
    const { break_id = '', rule = '', kind = '', record_id = '', state, explanation = '' } = row;
    // The key knows nothing of what a plugin's rules find.
    if (state === 'resolved' || !OWN.has(rule)) continue;
    if (!ids.has(rule)) ids.set(rule, break_id);
    const key = keyOf(rule, kind, references.get(record_id) ?? record_id);
    if (allowed.has(key) && !due.has(key)) continue;
    found.add(key);
    const { figures = null, stake = null } = due.get(key) ?? {};
    const problem = figures === null ? null : wrongFigure(row, figures, stake);
    if (problem !== null) problems.set(key, `${rule} of ${kind} ${record_id}: ${problem}`);
    if (!due.has(key)) alarms.push(`${rule} of ${kind} ${record_id} is not due: ${explanation}`);
    if (!examples.has(rule)) examples.set(rule, { rule, record: `${kind} ${record_id}`, explanation });
  }
  const missed = [...due].flatMap(([key, { defect }]) => (found.has(key) ? [] : [`${key} was not found (${defect})`]));
  const count = (keys: Iterable<string>, rule: string | null, counts: (key: string) => boolean) =>
    [...keys].filter((key) => (rule === null || key.startsWith(`${rule} `)) && counts(key)).length;
  const counted = (rule: string | null) => ({
    injected: count(due.keys(), rule, () => true),
    found: count(found, rule, (key) => due.has(key) && !problems.has(key)),
    wrong: count(problems.keys(), rule, () => true),
    falseAlarms: count(found, rule, (key) => !due.has(key)),
  });
  const table = ownRules()
    .map(({ code, severity }) => ({ rule: code, severity, ...counted(code) }))
    .sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || (a.rule < b.rule ? -1 : 1));
  return {
    rows: table,
    ...counted(null),
    nearMisses,
    problems: [...problems.values(), ...missed, ...alarms],
    examples: table.flatMap(({ rule }) => examples.get(rule) ?? []),
    firstBreak: table.flatMap(({ rule }) => ids.get(rule) ?? [])[0]?.slice(0, 12) ?? null,
  };
}

/** Id of a payment → its reference; empty for a run that knows no payment. */
function referencesOf(payoutsFile: string): ReadonlyMap<string, string> {
  if (!existsSync(payoutsFile)) return new Map();
  const rows = parseAll(readFileSync(payoutsFile), { columns: true }) as Record<string, string>[];
  return new Map(rows.map(({ payout_id = '', reference = '' }) => [payout_id, reference]));
}

/** The sandbox computes in doubles: figures agree to nine digits, differences to a millionth of a minor unit. */
const RELATIVE = 1e-9;
const ABSOLUTE = 1e-8;

/** Null where a row of `breaks.csv` says what the answer key says. */
function wrongFigure(row: Record<string, string>, due: DueFigures, stake: number | null): string | null {
  const said = (column: string) => (row[column] === '' || row[column] === undefined ? Number.NaN : Number(row[column]));
  const differs = (column: string, figure: number, slack: number) =>
    Math.abs(said(column) - figure) <= slack ? null : `${column} is ${row[column] || 'empty'} instead of ${figure}`;
  const { actual, unit, expectedUpTo = due.expected } = due;
  const expected = Math.min(Math.max(said('expected'), due.expected), Math.max(expectedUpTo, due.expected));
  const slack = RELATIVE * Math.max(Math.abs(expected), Math.abs(actual)) + ABSOLUTE;
  return (
    differs('expected', expected, slack) ??
    differs('actual', actual, slack) ??
    differs('difference', actual - expected, slack) ??
    (row.unit === unit ? null : `unit is ${row.unit || 'empty'} instead of ${unit}`) ??
    (stake === null ? null : differs('money_at_stake', stake, slack))
  );
}

const keyOf = (rule: string, kind: string, id: string) => `${rule} ${kind} ${id}`;
