/** A command named in a text is one that `tieout help` knows, with flags that it has: documents, messages, column texts, settings, comments. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CliContext } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { SessionInput } from '../../src/cli/session.ts';
import type { World } from '../../src/cli/world.ts';
import { RULES } from '../../src/rules/index.ts';

// The changelog names commands as they were called then.
const FILES = globSync(
  [
    '{README,CONTRIBUTING,SECURITY}.md',
    '{docs,bench,examples}/**/*.{md,yaml,sh}',
    'docs/deploy/**/*',
    '{src,config,reports,jobs}/**/*.{ts,js,json,yaml}',
  ],
  { withFileTypes: true },
)
  .filter((each) => each.isFile())
  .map((each) => `${each.parentPath}/${each.name}`);

/** From the word after the program to the end of the line, the quotation or the command. */
const NAMED = /(?<![:/-]|-[Ud] )\btieout(?:\.js)? ([a-z][^`'"\n>;\\]*)/g;

/** The program named as such, and other things of that name: a queue, a volume, the label of a file. */
const NOT_COMMANDS = /^(?:needs Node|queue|crontab {2}|delete job|create secret|archive [12]\b|help\b)/;

const NAMES = FILES.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(NAMED)]
    .map(([, line = '']) => line.split(/ \|| && | #/)[0] ?? '')
    .filter((line) => !NOT_COMMANDS.test(line))
    .map((line) => ({ file, line })),
);

it('each named command', async () => {
  const context = new CliContext({} as SessionInput);
  // Only the modules of these words are loaded.
  const words = [...new Set(NAMES.flatMap(({ line }) => line.split(/[^a-z-]/)))];
  const program = await createProgram(context, { version: '' } as World, words);
  const isKnown = (line: string) => {
    const [first, second = ''] = line.split(/[ .,:)]+/);
    const group = program.commands.find((each) => each.name() === first);
    if (group === undefined) return false;
    const members = group.commands.filter((each) => each.name() !== 'help');
    const named = members.filter((each) => second.split('|').includes(each.name()));
    const needsSecond = members.length > 0 && group.registeredArguments.length === 0;
    if (needsSecond && /^[a-z]/.test(second) && named.length === 0) return false;
    const able = [program, ...(named.length > 0 ? named : [group, ...members])];
    const flags = able.flatMap((each) => each.options.flatMap(({ long, short }) => [long, short]));
    return [...line.matchAll(/ (--[a-z-]+|-[a-zA-Z]\b)/g)].every(
      ([, flag = '']) => flag === '--help' || flags.includes(flag),
    );
  };
  expect(NAMES.length).toBeGreaterThan(600);
  expect(NAMES.filter(({ line }) => !isKnown(line))).toEqual([]);
});

it('the page of a break names none: its readers have no command line', () => {
  const shown = RULES.flatMap(({ why, action, settledBy }) => [why, action, settledBy]);
  expect(shown.filter((text) => text?.includes('tieout '))).toEqual([]);
});
