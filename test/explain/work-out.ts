/** Works one break out from a case, as lines of text; and the numbers they come to. */
import { workingPair } from '../../src/cli/breaks/explanation-text.ts';
import type { Case } from '../../src/domain/case.ts';
import type { Finding } from '../../src/domain/finding.ts';
import { findingOf, workOut } from '../../src/explain/recompute.ts';
import type { RunTerms } from '../../src/rules/terms.ts';
import type { WorkingLine } from '../../src/rules/working.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import { at, dec, LOCKED, someTolerances } from '../support/builders.ts';

export const AS_OF = at('2026-11-03 00:00');

export const built = (subject: Case) => ({ ...subject, recordKey: 1, attempts: 1 });

/** @throws where the rule finds nothing, or something else than its arithmetic: a test must not go by on nothing. */
export function workedOut(subject: Case, rule: string, field: string, terms = someRunTerms()): readonly string[] {
  const finding: Finding | 'off' | null = findingOf(built(subject), { rule, field }, terms, AS_OF);
  if (finding === null || finding === 'off') throw new Error(`${rule} finds nothing about ${field}`);
  const workings = workOut(built(subject), { rule, field }, terms, AS_OF);
  if (workings === null) throw new Error(`${rule} is not worked out`);
  if (finding.difference !== null) {
    const apart = [finding.difference, finding.tolerance].map(String).join(' within ');
    const written = [workings.difference, workings.tolerance].map(String).join(' within ');
    if (apart !== written) throw new Error(`the rule has ${apart}, its arithmetic ${written}`);
  }
  return workings.lines.map(asText);
}

/** The same whether or not the rule finds anything; null where the case gives the arithmetic nothing to work with. */
export function arithmeticOf(subject: Case, rule: string, field: string, terms = someRunTerms()) {
  return workOut(built(subject), { rule, field }, terms, AS_OF)?.lines.map(asText) ?? null;
}

export function asText(line: WorkingLine): string {
  const [label, value] = workingPair(line);
  return `${label}: ${value}`;
}

/** Terms in which one rule has a fiat tolerance of its own. */
export function withTolerance(rule: string, absolute: string): RunTerms {
  const own = { absolute: dec(absolute), relative: dec('0') };
  return someRunTerms({ binding: LOCKED, tolerances: someTolerances({ rules: new Map([[rule, own]]) }) });
}
