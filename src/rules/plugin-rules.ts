/** Rules of plugins beside the program's own. A rule that throws, or answers what is no finding, judges nothing, and says so by name. */
import { Decimal } from '../domain/decimal.ts';
import { SEVERITIES, type Unit } from '../domain/finding.ts';
import { boundedCalls, frozen, handled, plainText, thrownText, whyNoList } from '../domain/foreign-code.ts';
import { ownRules, replacePluginRules } from './index.ts';
import { NOTHING_FOUND, type Rule, type RuleFinding, type RuleResult } from './rule.ts';
import type { WorkingLine, Workings } from './working.ts';

const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;
const FIELD = /^\P{Cc}{1,100}$/u;
const UNITS: readonly Unit[] = ['money', 'rate', 'crypto', 'days'];
const TEXTS = ['title', 'why', 'action', 'settledBy', 'example'] as const;
/** A sentence that a cell of a spreadsheet holds. */
const LONGEST = 2_000;
/** A break each, for people to look at. */
const MOST_FINDINGS = 100;

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
  const failed = (why: string): RuleResult => ({
    notJudged: plainText(`the plugin ${plugin} failed: ${why}`),
  });
  const { working } = rule;
  const bounded = boundedCalls();
  return {
    ...rule,
    check: (input) => {
      try {
        return bounded(() => checked(rule.check(frozen(input)), failed));
      } catch (error) {
        return failed(thrownText(error));
      }
    },
    ...(working === undefined
      ? {}
      : {
          working: (input, field) => {
            try {
              return bounded(() => workingsOf(handled(working(frozen(input), field))));
            } catch {
              return null;
            }
          },
        }),
  };
}

/**
 * Copies the answer before it is checked: a getter in it could return another value, or throw, when it is read again.
 * @throws what a getter of the answer throws
 */
function checked(answer: unknown, failed: (why: string) => RuleResult): RuleResult {
  if (answer === 'not-applicable') return answer;
  if (Array.isArray(answer)) {
    if (answer.length === 0) return NOTHING_FOUND;
    // An async map gives a list of promises.
    for (const each of answer) handled(each);
    if (answer.length > MOST_FINDINGS) return failed(`${answer.length} findings about one record`);
    const findings = Array.from(answer as readonly unknown[], copied);
    const problem = answerProblem(findings);
    return problem === null ? findings : failed(problem);
  }
  const reason = typeof answer === 'object' && answer !== null ? (answer as { notJudged?: unknown }).notJudged : null;
  if (typeof reason === 'string') return { notJudged: plainText(reason) };
  return failed(whyNoList(answer, 'findings'));
}

/** A copy of the working lines; null where they are not well formed. */
function workingsOf(workings: unknown): Workings | null {
  if (typeof workings !== 'object' || workings === null) return null;
  const { lines, difference = null, tolerance = null } = workings as Partial<Workings>;
  if (!Array.isArray(lines) || ![difference, tolerance].every((each) => each === null || each instanceof Decimal))
    return null;
  const copies = Array.from(lines as readonly WorkingLine[], ({ label, working, result, unit }) => {
    return { label, working, result, unit };
  });
  const isWhole = copies.every(
    ({ label, working, result, unit }) =>
      isText(label) && isText(result) && [working, unit].every((each) => each === null || isText(each)),
  );
  return isWhole ? { lines: copies, difference, tolerance } : null;
}

const PARTS: readonly (keyof RuleFinding)[] = [
  'field',
  'expected',
  'actual',
  'explanation',
  'difference',
  'unit',
  'loss',
  'currency',
  'tolerance',
  'severity',
];

function copied(finding: unknown): RuleFinding {
  const given = (typeof finding === 'object' && finding !== null ? finding : {}) as Partial<RuleFinding>;
  return Object.fromEntries(
    PARTS.flatMap((name) => {
      const value = handled(given[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as unknown as RuleFinding;
}

function answerProblem(findings: readonly Partial<RuleFinding>[]): string | null {
  const fields = new Set<unknown>();
  for (const each of findings) {
    const { field, explanation, expected, actual, difference, loss, tolerance, currency, unit, severity } = each;
    if (typeof field !== 'string' || !FIELD.test(field) || !field.isWellFormed()) return 'a finding without a field';
    if (fields.has(field)) return `two findings about ${field}`;
    fields.add(field);
    if (explanation === '' || !isText(explanation)) return `a finding about ${field} without an explanation`;
    if (![expected, actual].every((side) => side === null || isText(side)))
      return `expected and actual of ${field} are texts or null`;
    if (![difference, loss, tolerance].every((figure) => figure == null || figure instanceof Decimal))
      return `figures of ${field} are Decimals`;
    if (![difference, loss, tolerance].every((figure) => figure?.isInRange ?? true))
      return `figures of ${field} have more than 40 digits before or after the point`;
    if (currency != null && !(isText(currency) && currency.length <= 100))
      return `the currency of ${field} must be a text`;
    if (unit != null && !UNITS.includes(unit)) return `the unit of ${field} must be one of ${UNITS.join(', ')}`;
    if (severity !== undefined && !SEVERITIES.includes(severity))
      return `the severity of ${field} must be one of ${SEVERITIES.join(', ')}`;
  }
  return null;
}

/** Whether a database and a cell can hold it. */
function isText(text: unknown): boolean {
  return typeof text === 'string' && text.length <= LONGEST && !text.includes('\0') && text.isWellFormed();
}
