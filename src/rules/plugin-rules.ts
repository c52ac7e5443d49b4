/** Rules of plugins beside the program's own. A rule that throws, or answers what is no finding, judges nothing, and says so by name. */
import { Decimal } from '../domain/decimal.ts';
import { SEVERITIES } from '../domain/finding.ts';
import { ownRules, replacePluginRules } from './index.ts';
import type { Rule, RuleFinding, RuleResult } from './rule.ts';

const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;
const TEXTS = ['title', 'why', 'action', 'settledBy', 'example'] as const;
/** A sentence that a cell of a spreadsheet holds. */
const LONGEST = 2_000;

/** What is wrong with a rule of a plugin, or null. */
export function ruleProblem(rule: unknown, taken: ReadonlySet<string>): string | null {
  if (typeof rule !== 'object' || rule === null) return 'is not an object';
  const given = rule as Partial<Record<keyof Rule, unknown>>;
  if (typeof given.code !== 'string' || !CODE.test(given.code)) return 'has no code such as OUR_RULE';
  if (taken.has(given.code)) return `has the code ${given.code}, which is another rule's`;
  if (!SEVERITIES.some((each) => each === given.severity))
    return `${given.code}: severity must be one of ${SEVERITIES.join(', ')}`;
  const missing = TEXTS.find((name) => typeof given[name] !== 'string' || given[name] === '');
  if (missing !== undefined) return `${given.code}: ${missing} must be a text`;
  if (typeof given.check !== 'function') return `${given.code}: check must be a function`;
  if (given.working !== undefined && typeof given.working !== 'function')
    return `${given.code}: working must be a function`;
  return given.subject === undefined ? null : `${given.code}: subject is for the program's own rules`;
}

export const ownCodes = (): ReadonlySet<string> => new Set(ownRules().map(({ code }) => code));

/** Puts the rules of all plugins in place of those of before. @param plugins each with a name, and rules without a problem */
export function usePluginRules(plugins: readonly { name: string; rules: readonly Rule[] }[]): void {
  replacePluginRules(plugins.flatMap(({ name, rules }) => rules.map((rule) => guarded(name, rule))));
}

function guarded(plugin: string, rule: Rule): Rule {
  const failed = (why: string): RuleResult => ({ notJudged: `the plugin ${plugin} failed: ${why}`.slice(0, 200) });
  const { working } = rule;
  return {
    ...rule,
    check: (input) => {
      try {
        const answer = rule.check(input);
        const problem = answerProblem(answer);
        return problem === null ? answer : failed(problem);
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
    ...(working === undefined
      ? {}
      : {
          working: (input, field) => {
            try {
              return working(input, field);
            } catch {
              return null;
            }
          },
        }),
  };
}

function answerProblem(answer: unknown): string | null {
  if (answer === 'not-applicable') return null;
  if (!Array.isArray(answer)) {
    const isNotJudged =
      typeof answer === 'object' &&
      answer !== null &&
      typeof (answer as { notJudged?: unknown }).notJudged === 'string';
    return isNotJudged ? null : 'its answer is not a list of findings';
  }
  const fields = new Set<unknown>();
  for (const each of answer as readonly (Partial<RuleFinding> | null)[]) {
    const { field, explanation, expected, actual, difference, loss, tolerance, currency } = each ?? {};
    if (typeof field !== 'string' || field === '' || field.length > 100) return 'a finding without a field';
    if (fields.has(field)) return `two findings about ${field}`;
    fields.add(field);
    if (typeof explanation !== 'string' || explanation === '' || explanation.length > LONGEST)
      return `a finding about ${field} without an explanation`;
    if (![expected, actual].every((side) => side === null || (typeof side === 'string' && side.length <= LONGEST)))
      return `expected and actual of ${field} are texts or null`;
    if (![difference, loss, tolerance].every((figure) => figure == null || figure instanceof Decimal))
      return `figures of ${field} are Decimals`;
    if (currency != null && typeof currency !== 'string') return `the currency of ${field} must be a text`;
  }
  return null;
}
