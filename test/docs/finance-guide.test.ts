/** The finance guide agrees with the product: break codes, commands, verdicts and states. Its tables are generated. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { priorPeriod } from '../../reports/prior-period.ts';
import { CliCommand, CliContext } from '../../src/cli/context.ts';
import { commandsFor } from '../../src/cli/program.ts';
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

  it('names commands that there are, with flags that they have', async () => {
    const context = new CliContext({} as SessionInput);
    const program = new CliCommand('tieout', context);
    // Registering runs nothing, so the context is never asked for anything.
    const called = [...GUIDE.matchAll(/`tieout ([^`]+)`/g)].map(([, line]) => line ?? '');
    const words = called.flatMap((line) => line.split(' '));
    for (const register of await commandsFor(words)) register(program, context);
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
