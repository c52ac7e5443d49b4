/** The guide that finance reads and the product must not drift apart: every column, every break code, by name. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { priorPeriod } from '../../reports/prior-period.ts';
import { CliContext } from '../../src/cli/context.ts';
import { COMMANDS } from '../../src/cli/program.ts';
import type { SessionInput } from '../../src/cli/session.ts';
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

/** Rows of the section's table: cells without their marks. */
function rows(title: string): string[][] {
  return section(title)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

describe('the finance guide', () => {
  it.each(DEFINITIONS)('explains every column of $file, in order', ({ file, columns }) => {
    const explained = rows(file);
    expect(explained.map(([name]) => name)).toEqual(columns.map(({ name }) => `\`${name}\``));
    // What it says, and when it is empty, is told of each; a unit or a sign only where there is one.
    const silent = explained.filter((cells) => cells.length !== 4 || cells[1] === '' || cells[3] === '');
    expect(silent).toEqual([]);
  });

  it.each(DEFINITIONS)('tells a unit of every amount of $file', ({ file, columns }) => {
    const amounts: string[] = columns.filter(({ type }) => type === 'amount').map(({ name }) => `\`${name}\``);
    const without = rows(file).filter(([name = '', , unit]) => amounts.includes(name) && unit === '');
    expect(without).toEqual([]);
  });

  it.each(RULES)('explains $code with its severity, an example and what to do', ({ code, severity }) => {
    const text = section(code);
    expect(text).toContain(`Severity \`${severity}\`.`);
    expect(text).toMatch(/\nExample: .*\d/);
    expect(text).toMatch(/\nDo: /);
  });

  it('has no code that no rule has', () => {
    const titles = [...GUIDE.matchAll(/^### ([A-Z_]+)$/gm)].map(([, title]) => title ?? '');
    expect(titles.sort()).toEqual(RULES.map(({ code }) => code).sort());
  });

  it('names commands that there are, with flags that they have', () => {
    const program = new Command('tieout');
    // Registering runs nothing, so the context is never asked for anything.
    for (const register of COMMANDS) register(program, new CliContext({} as SessionInput));
    const called = [...GUIDE.matchAll(/`tieout ([^`]+)`/g)].map(([, line]) => line ?? '');
    expect(called.length).toBeGreaterThan(15);
    for (const line of called) {
      const [first, second = ''] = line.split(' ');
      const group = program.commands.find((each) => each.name() === first);
      const command = group?.commands.find((each) => each.name() === second) ?? group;
      expect(command, line).toBeDefined();
      // Flags that all commands have are the program's own.
      const flags = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag).filter((flag) => flag !== '--out');
      const able = command !== undefined && command.commands.length > 0 ? command.commands : [command];
      const known = able.flatMap((each) => each?.options.map(({ long }) => long) ?? []);
      for (const flag of flags) expect(known, line).toContain(flag);
    }
  });

  it('names every verdict, severity and state', () => {
    for (const word of [...VERDICTS, ...SEVERITIES, ...BREAK_STATES]) expect(GUIDE).toContain(`\`${word}\``);
  });
});
