import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { ownRules, RULES } from '../../src/rules/index.ts';
import { figuresOf } from '../../src/rules/judge-case.ts';
import { ownCodes, ruleProblem, usePluginRules } from '../../src/rules/plugin-rules.ts';
import { NOTHING_FOUND, type Rule, type RuleResult } from '../../src/rules/rule.ts';
import { aCase, someTerms } from '../support/builders.ts';

const OURS = {
  code: 'OUR_RULE',
  severity: 'low',
  title: 'Ours',
  why: 'It matters.',
  action: 'Look it up.',
  settledBy: 'Another night.',
  example: 'An example.',
  check: () => NOTHING_FOUND,
} as const satisfies Rule;

afterEach(() => usePluginRules([]));

describe('ruleProblem', () => {
  it('has nothing against a whole rule, with or without a working', () => {
    expect(ruleProblem(OURS, new Set())).toBeNull();
    expect(ruleProblem({ ...OURS, working: () => null }, new Set())).toBeNull();
  });

  test.each([
    [null, 'is not an object'],
    ['text', 'is not an object'],
    [{ ...OURS, code: 'ours' }, 'has no code such as OUR_RULE'],
    [{ ...OURS, code: 'AB' }, 'has no code such as OUR_RULE'],
    [{ ...OURS, code: `A${'B'.repeat(64)}` }, 'has no code such as OUR_RULE'],
    [{ ...OURS, code: 'TAKEN' }, "has the code TAKEN, which is another rule's"],
    [{ ...OURS, severity: 'worst' }, 'OUR_RULE: severity must be one of info, low, medium, high, critical'],
    [{ ...OURS, title: '' }, 'OUR_RULE: title must be a text'],
    [{ ...OURS, why: 3 }, 'OUR_RULE: why must be a text'],
    [{ ...OURS, action: undefined }, 'OUR_RULE: action must be a text'],
    [{ ...OURS, settledBy: null }, 'OUR_RULE: settledBy must be a text'],
    [{ ...OURS, example: '' }, 'OUR_RULE: example must be a text'],
    [{ ...OURS, check: 'it' }, 'OUR_RULE: check must be a function'],
    [{ ...OURS, working: 'it' }, 'OUR_RULE: working must be a function'],
    [{ ...OURS, subject: 'run' }, "OUR_RULE: subject is for the program's own rules"],
  ])('%#: %o', (rule, problem) => {
    expect(ruleProblem(rule, new Set(['TAKEN']))).toBe(problem);
  });
});

describe('usePluginRules', () => {
  it('puts them last, and in place of those of before', () => {
    usePluginRules([{ name: 'one', rules: [OURS] }]);
    expect(RULES.at(-1)?.code).toBe('OUR_RULE');
    usePluginRules([{ name: 'two', rules: [{ ...OURS, code: 'OTHER_RULE' }] }]);
    expect(RULES.map(({ code }) => code).slice(ownRules().length)).toEqual(['OTHER_RULE']);
    usePluginRules([]);
    expect(RULES).toHaveLength(ownRules().length);
    expect(ownCodes()).toEqual(new Set(RULES.map(({ code }) => code)));
  });

  function answerOf(check: () => unknown): RuleResult {
    usePluginRules([{ name: 'theirs', rules: [{ ...OURS, check: check as Rule['check'] }] }]);
    return (RULES.at(-1) as Rule).check({ ...aCase(), terms: someTerms(), ...figuresOf(aCase(), someTerms()) });
  }
  const FINDING = { field: 'a_field', explanation: 'A sentence.', expected: '1', actual: null };

  test.each([
    ['nothing', NOTHING_FOUND],
    ['not applicable', 'not-applicable'],
    ['a reason', { notJudged: 'no quote' }],
    ['a finding', [FINDING]],
    ['figures', [{ ...FINDING, difference: Decimal.of(1n), loss: null, tolerance: Decimal.ZERO, currency: 'EUR' }]],
    ['two fields', [FINDING, { ...FINDING, field: 'b' }]],
  ])('%s goes through as it is', (_name, answer) => {
    expect(answerOf(() => answer)).toEqual(answer);
  });

  test.each([
    [undefined, 'its answer is not a list of findings'],
    [null, 'its answer is not a list of findings'],
    ['anything', 'its answer is not a list of findings'],
    [{ notJudged: 3 }, 'its answer is not a list of findings'],
    [[null], 'a finding without a field'],
    [[{ ...FINDING, field: '' }], 'a finding without a field'],
    [[{ ...FINDING, field: 'f'.repeat(101) }], 'a finding without a field'],
    [[FINDING, FINDING], 'two findings about a_field'],
    [[{ ...FINDING, explanation: '' }], 'a finding about a_field without an explanation'],
    [[{ ...FINDING, explanation: 'e'.repeat(2_001) }], 'a finding about a_field without an explanation'],
    [[{ ...FINDING, expected: 1 }], 'expected and actual of a_field are texts or null'],
    [[{ ...FINDING, actual: 'a'.repeat(2_001) }], 'expected and actual of a_field are texts or null'],
    [[{ ...FINDING, difference: 0.1 }], 'figures of a_field are Decimals'],
    [[{ ...FINDING, loss: '3' }], 'figures of a_field are Decimals'],
    [[{ ...FINDING, currency: 978 }], 'the currency of a_field must be a text'],
    [[{ ...FINDING, currency: 'C'.repeat(101) }], 'the currency of a_field must be a text'],
    [[{ ...FINDING, severity: 'worst' }], 'the severity of a_field must be one of info, low, medium, high, critical'],
    [[{ ...FINDING, unit: 'apples' }], 'the unit of a_field must be one of money, rate, crypto, days'],
    [
      [{ ...FINDING, difference: Decimal.of(10n ** 40n) }],
      'figures of a_field have more than 40 digits before or after the point',
    ],
    // Texts that a database refuses.
    [[{ ...FINDING, field: 'a\0' }], 'a finding without a field'],
    [[{ ...FINDING, expected: '\0' }], 'expected and actual of a_field are texts or null'],
    [[{ ...FINDING, explanation: 'half of a \ud83d' }], 'a finding about a_field without an explanation'],
    [Array(101).fill(FINDING), '101 findings about one record'],
  ])('%# says which plugin failed, and why', (answer, problem) => {
    expect(answerOf(() => answer)).toEqual({ notJudged: `the plugin theirs failed: ${problem}` });
  });

  it('that waits judges nothing, and its failure ends no process', async () => {
    const failed = vi.fn();
    process.once('unhandledRejection', failed);
    expect(answerOf(() => Promise.reject(new Error('later')))).toEqual({
      notJudged: 'the plugin theirs failed: its answer is a promise, not a list of findings',
    });
    await setImmediate();
    process.off('unhandledRejection', failed);
    expect(failed).not.toHaveBeenCalled();
  });

  it('nor do promises within an answer, or a working that waits', async () => {
    const failed = vi.fn();
    process.on('unhandledRejection', failed);
    const later = async () => Promise.reject(new Error('later'));
    for (const answer of [() => [1, 2].map(later), () => [{ ...FINDING, explanation: later() }]])
      expect(answerOf(answer)).toEqual({ notJudged: expect.stringContaining('the plugin theirs failed: a finding') });
    usePluginRules([{ name: 'theirs', rules: [{ ...OURS, working: later as never }] }]);
    expect(RULES.at(-1)?.working?.(aCase() as never, 'f')).toBeNull();
    await setImmediate();
    process.off('unhandledRejection', failed);
    expect(failed).not.toHaveBeenCalled();
  });

  it('keeps a copy: what is read a second time may be another text', () => {
    let looks = 0;
    const turning = {
      ...FINDING,
      get explanation() {
        return looks++ === 0 ? 'A sentence.' : { not: 'a text' };
      },
    };
    expect(answerOf(() => [turning])).toEqual([FINDING]);
  });

  it('has a reason of one short line', () => {
    const { notJudged } = answerOf(() => ({ notJudged: `no\0 table\n${'x'.repeat(5_000)}` })) as { notJudged: string };
    expect([notJudged.slice(0, 10), notJudged.length]).toEqual(['no  table ', 200]);
  });

  it('gives a rule nothing that it could change for the rules and records after it', () => {
    const input = { ...aCase(), terms: someTerms(), ...figuresOf(aCase(), someTerms()) };
    const before = structuredClone(Object.keys(input.terms.tolerances));
    const changing = [
      (given: typeof input) => Object.assign(given.terms.tolerances, { fiat: null }),
      (given: typeof input) => Object.assign(given.tracked, { quoteId: 'another' }),
      (given: typeof input) => (given.tracked.webhookEvents as unknown[]).push('x'),
    ];
    for (const change of changing) {
      usePluginRules([
        { name: 'theirs', rules: [{ ...OURS, check: (given) => [change(given as typeof input)] as never }] },
      ]);
      expect((RULES.at(-1) as Rule).check(input)).toEqual({
        notJudged: expect.stringMatching(/^the plugin theirs failed: Cannot (?:assign|add)/),
      });
    }
    expect(Object.keys(input.terms.tolerances)).toEqual(before);
    expect(input.terms.tolerances.fiat).not.toBeNull();
  });

  it('contains what throws, an error or not, in a sentence of 200 characters', () => {
    const thrown = (what: unknown) =>
      answerOf(() => {
        throw what;
      });
    expect(thrown(new Error('broken'))).toEqual({ notJudged: 'the plugin theirs failed: broken' });
    expect(thrown('text')).toEqual({ notJudged: 'the plugin theirs failed: text' });
    const unreadable = {
      toString() {
        throw new Error('again');
      },
    };
    expect(thrown(unreadable)).toEqual({ notJudged: 'the plugin theirs failed: it threw what cannot be read' });
    const { notJudged } = thrown(new Error('👛'.repeat(5_000))) as { notJudged: string };
    // Where half of a pair would be left, it is none: a database refuses it.
    expect([notJudged.length, notJudged.isWellFormed()]).toEqual([200, true]);
  });

  it('has no working where the rule has none, its working, or null where it throws', () => {
    const input = { ...aCase(), terms: someTerms(), ...figuresOf(aCase(), someTerms()) };
    const workingOf = (rule: Partial<Rule>) => {
      usePluginRules([{ name: 'theirs', rules: [{ ...OURS, ...rule }] }]);
      return RULES.at(-1)?.working;
    };
    expect(workingOf({})).toBeUndefined();
    const lines = [{ label: 'a', working: null, result: '1', unit: 'EUR' }];
    const workings = { lines, difference: null, tolerance: Decimal.ZERO };
    expect(workingOf({ working: () => workings })?.(input, 'f')).toEqual(workings);
    const wrong = [
      { lines: 'x' },
      { ...workings, lines: [{ label: 'a' }] },
      { ...workings, difference: 1 },
      'x',
      undefined,
    ];
    for (const each of wrong) expect(workingOf({ working: () => each as never })?.(input, 'f')).toBeNull();
    const broken = () => {
      throw new Error('broken');
    };
    expect(workingOf({ working: broken })?.(input, 'f')).toBeNull();
  });
});
