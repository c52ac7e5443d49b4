/** A rule set is the rules of a run: in order, each at its configured severity, those switched off left out. */
import { UsageError } from '../domain/errors.ts';
import type { Severity } from '../domain/finding.ts';
import { RULES } from './index.ts';
import type { Rule } from './rule.ts';

/** The configuration of one rule. */
type RuleSetting = { severity: Severity } | 'off';

/** By rule code; a code that is not named keeps its default. */
export type RuleConfig = Readonly<Record<string, RuleSetting>>;

/** The rules in force with their severities; its hash stands in the manifest. */
export interface RuleSet {
  readonly rules: readonly { readonly rule: Rule; readonly severity: Severity }[];
  /** Codes that configuration switched off, in rule order. */
  readonly off: readonly string[];
}

/** Thrown when configuration names rules that do not exist; lists all of them. */
export class UnknownRuleError extends UsageError {
  readonly codes: readonly string[];
  constructor(codes: readonly string[], known: readonly string[]) {
    super(`there is no rule ${codes.join(', ')}`, {
      remedy: `remove it from "rules" or use one of: ${known.join(', ')}`,
    });
    this.codes = codes;
  }
}

/**
 * Puts configuration on top of the rules' own severities.
 * @param rules in the order in which findings are reported; all of Tieout's rules unless a test brings its own.
 * @throws UnknownRuleError for codes that no rule has.
 */
export function createRuleSet(config: RuleConfig = {}, rules: readonly Rule[] = RULES): RuleSet {
  const known = rules.map((rule) => rule.code);
  const unknown = Object.keys(config).filter((code) => !known.includes(code));
  if (unknown.length > 0) throw new UnknownRuleError(unknown, known);
  const settingOf = (rule: Rule): RuleSetting =>
    (Object.hasOwn(config, rule.code) ? config[rule.code] : undefined) ?? { severity: rule.severity };
  const active: { rule: Rule; severity: Severity }[] = [];
  const off: string[] = [];
  for (const rule of rules) {
    const setting = settingOf(rule);
    if (setting === 'off') off.push(rule.code);
    else active.push({ rule, severity: setting.severity });
  }
  return { rules: active, off };
}

/** Null for a rule that is switched off. */
export function severityIn({ rules }: RuleSet, code: string): Severity | null {
  return rules.find(({ rule }) => rule.code === code)?.severity ?? null;
}

/** Rule code → severity, or `off`: the rules in force, as in a manifest. */
export function rulesInForce(ruleSet: RuleSet): Record<string, string> {
  return {
    ...Object.fromEntries(ruleSet.rules.map(({ rule, severity }) => [rule.code, severity])),
    ...Object.fromEntries(ruleSet.off.map((code) => [code, 'off'])),
  };
}
