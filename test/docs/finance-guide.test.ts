/** The finance guide agrees with the product: break codes, commands, verdicts and states. Its tables are generated. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { priorPeriod } from '../../reports/prior-period.ts';
import { BREAK_STATES } from '../../src/domain/break.ts';
import { SEVERITIES, VERDICTS } from '../../src/domain/finding.ts';
import { RULES } from '../../src/rules/index.ts';

const GUIDE = readFileSync(new URL('../../docs/finance-guide.md', import.meta.url), 'utf8');

const DEFINITIONS = [...REPORTS.map(({ definition }) => definition), priorPeriod];

/** The text below a `###` heading, up to the next heading. */
function section(title: string): string {
  const start = GUIDE.indexOf(`\n### ${title}\n`);
  if (start < 0) throw new Error(`the guide has no section ${title}`);
  const body = GUIDE.slice(start + title.length + 6);
  const end = body.search(/\n##/);
  return end < 0 ? body : body.slice(0, end);
}

describe('the finance guide', () => {
  it.each(DEFINITIONS)('explains every column of $file', ({ columns }) => {
    const silent = columns.filter(({ description, empty }) => description.trim() === '' || empty?.trim() === '');
    expect(silent).toEqual([]);
  });

  it.each(RULES)('explains $code with its severity, an example and what to do', ({ code, severity }) => {
    const text = section(code);
    expect(text).toContain(`Severity \`${severity}\`.`);
    expect(text).toMatch(/\nExample: "[A-Z].*\."\n/);
    expect(text).toMatch(/\nDo: [A-Z].*\./);
    expect(text).toMatch(/\nSettled by: [A-Z].*\./);
  });

  it('has no code that no rule has', () => {
    const titles = [...GUIDE.matchAll(/^### ([A-Z_]+)$/gm)].map(([, title]) => title ?? '');
    expect(titles.filter((title) => !RULES.some(({ code }) => code === title))).toEqual([]);
  });

  it('names every verdict, severity and state', () => {
    for (const word of [...VERDICTS, ...SEVERITIES, ...BREAK_STATES]) expect(GUIDE).toContain(`\`${word}\``);
  });
});
