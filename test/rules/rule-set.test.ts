import { expect, test } from 'vitest';
import { AMOUNT_RULE, ANSWERED_UNREAD, FEE_RULES, REFUSED_BEFORE } from '../../src/domain/rule-codes.ts';
import { RULES } from '../../src/rules/index.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { createRuleSet, rulesInForce, UnknownRuleError } from '../../src/rules/rule-set.ts';
import { CONTRACT, FURTHER_PROOF } from '../support/break-codes.ts';

test('every break code of the contract is a rule, at its severity, in order', () => {
  const contract = [...CONTRACT, ...FURTHER_PROOF];
  const promised: string[] = contract.map(([code]) => code);
  const told = RULES.filter(({ code }) => promised.includes(code)).map(({ code, severity }) => [code, severity]);
  expect(told).toEqual(contract);
});

test('no two rules share a code', () => {
  const codes = RULES.map(({ code }) => code);
  expect([...new Set(codes)]).toEqual(codes);
});

test('the codes that other rooms ask about are codes of rules', () => {
  const codes = RULES.map(({ code }) => code);
  expect(codes).toEqual(
    expect.arrayContaining([...ANSWERED_UNREAD, ...REFUSED_BEFORE, AMOUNT_RULE, ...Object.values(FEE_RULES)]),
  );
});

test('every rule explains itself', () => {
  for (const rule of RULES) {
    expect(rule.title).toMatch(/^[A-Zf].{10,}[^.]$/);
    expect(rule.why).toMatch(/^[A-Z].{30,}\.$/);
    expect(rule.action).toMatch(/^[A-Z].{20,}\.$/);
    expect(rule.settledBy).toMatch(/^[A-Z].{20,}\.$/);
    expect(rule.example).toMatch(/^[A-Z].{30,}\.$/);
  }
});

test('configuration changes severities and switches rules off; the rest keeps its default', () => {
  const set = createRuleSet({ QUOTE_MISSING: { severity: 'info' }, METHOD_UNSUPPORTED: 'off' });
  const severityOf = (code: string) => set.rules.find(({ rule }) => rule.code === code)?.severity;
  expect(severityOf('QUOTE_MISSING')).toBe('info');
  expect(severityOf('METHOD_UNSUPPORTED')).toBeUndefined();
  expect(severityOf('RESTATED')).toBe('high');
  expect(set.rules).toHaveLength(RULES.length - 1);
  expect(set.off).toEqual(['METHOD_UNSUPPORTED']);
});

test('unknown codes are an error that names all of them and what there is', () => {
  const create = () => createRuleSet({ FEE_APLIED_DIFFERS: 'off', 'to-string': 'off', RESTATED: 'off' });
  expect(create).toThrow(UnknownRuleError);
  expect(create).toThrow(
    /^there is no rule FEE_APLIED_DIFFERS, to-string; .*use one of: RECORD_MISSING, ACCESS_DENIED, /,
  );
  // The exit code goes by the name.
  expect(create).toThrow(
    expect.objectContaining({ name: 'UnknownRuleError', codes: ['FEE_APLIED_DIFFERS', 'to-string'] }),
  );
});

const aRule = (code: string, severity: Rule['severity']): Rule => ({
  code,
  severity,
  title: 'A rule of this test alone',
  why: 'It has nothing to say.',
  action: 'Nothing.',
  settledBy: 'Nothing.',
  example: 'None.',
  check: () => [],
});

test('a manifest names every rule with its severity in force, or as off', () => {
  const rules = [aRule('FIRST', 'high'), aRule('SECOND', 'medium'), aRule('THIRD', 'low')];
  expect(rulesInForce(createRuleSet({ FIRST: { severity: 'info' }, THIRD: 'off' }, rules))).toEqual({
    FIRST: 'info',
    SECOND: 'medium',
    THIRD: 'off',
  });
});
