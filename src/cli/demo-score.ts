/** Holds the published breaks against the sandbox's answer key: per code injected, found, false alarms. */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { type Severity, severityRank } from '../domain/finding.ts';
import { RULES } from '../rules/index.ts';
import type { AnswerKeyEntry } from '../sandbox/contract.ts';

export interface ScoreRow {
  rule: string;
  severity: Severity;
  injected: number;
  found: number;
  falseAlarms: number;
}

export interface Score {
  rows: readonly ScoreRow[];
  injected: number;
  found: number;
  falseAlarms: number;
  /** One explanation per severity, the worst first: what a reader of the file would see. */
  examples: readonly { rule: string; record: string; explanation: string }[];
}

/** @param breaksFile a published `breaks.csv` of the standard profile */
export async function score(breaksFile: string, answers: Iterable<AnswerKeyEntry>): Promise<Score> {
  const due = new Set<string>();
  for (const { kind, id, codes } of answers) for (const code of codes) due.add(keyOf(code, kind, id));
  const found = new Set<string>();
  const examples = new Map<string, Score['examples'][number]>();
  const rows = createReadStream(breaksFile).pipe(parse({ columns: true })) as AsyncIterable<Record<string, string>>;
  for await (const { rule = '', kind = '', record_id = '', state, explanation = '' } of rows) {
    if (state === 'resolved') continue;
    found.add(keyOf(rule, kind, record_id));
    if (!examples.has(rule)) examples.set(rule, { rule, record: `${kind} ${record_id}`, explanation });
  }
  const table = RULES.map(({ code, severity }) => ({
    rule: code,
    severity,
    injected: countOf(due, code),
    found: [...found].filter((key) => key.startsWith(`${code} `) && due.has(key)).length,
    falseAlarms: [...found].filter((key) => key.startsWith(`${code} `) && !due.has(key)).length,
  })).sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || (a.rule < b.rule ? -1 : 1));
  return {
    rows: table,
    injected: due.size,
    found: [...found].filter((key) => due.has(key)).length,
    falseAlarms: [...found].filter((key) => !due.has(key)).length,
    examples: table.flatMap(({ rule }) => examples.get(rule) ?? []),
  };
}

const keyOf = (rule: string, kind: string, id: string) => `${rule} ${kind} ${id}`;

function countOf(keys: ReadonlySet<string>, rule: string): number {
  let count = 0;
  for (const key of keys) if (key.startsWith(`${rule} `)) count++;
  return count;
}
