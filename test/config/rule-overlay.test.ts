import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../config/problems.ts';
import { loadRuleOverlay } from '../../config/rule-overlay.ts';

const FILE = 'stricter.yaml';

function problemsOf(text: string | null) {
  const readFile = () => {
    if (text === null) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return text;
  };
  try {
    loadRuleOverlay(FILE, readFile, {});
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a file of rules to preview', () => {
  it('that cannot be read is reported with the flag that names it', () => {
    expect(problemsOf(null)).toEqual([
      { path: '', where: 'flag --rules', value: FILE, message: 'cannot be read: there is no such file' },
    ]);
  });

  it.each(['QUOTE_MISSING: off\n', 'timezone: UTC\n'])('has nothing but `rules` and `tolerances`: %s', (text) => {
    expect(problemsOf(text)).toMatchObject([
      { path: text.split(':')[0], where: FILE, message: 'only `rules` and `tolerances` can be previewed' },
    ]);
  });

  it('with neither is a mistake: it would say that nothing changes', () => {
    expect(problemsOf('# rules to come\n')).toEqual([
      { path: '', where: FILE, value: null, message: 'names neither `rules` nor `tolerances` to preview' },
    ]);
  });

  it('is checked as settings are', () => {
    expect(problemsOf('tolerances: { fiat: { relative: 2 } }\n')).toMatchObject([{ path: 'tolerances.fiat.relative' }]);
    expect(problemsOf('tolerances: { fiat: { relative: 0.5 } }\n')).toEqual([]);
  });
});
