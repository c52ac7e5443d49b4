/** What a command loads: most of the time of a short command is loading, and a test of seconds would depend on the machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliCommand, CliContext } from '../../src/cli/context.ts';
import { commandsFor } from '../../src/cli/program.ts';
import type { SessionInput } from '../../src/cli/session.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Prints the packages that were loaded as the last line, after what the command prints. */
const LISTING = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({ load(url, context, next) {
    packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? '');
    return next(url, context);
  } });
  process.on('exit', () => console.log('\\n' + JSON.stringify([...packages])));
  const { main } = await import(process.argv[1]);
  await main(process.argv.slice(2));
`;

/** Libraries that send, serve, read statements, or print: none is part of asking a local database. */
const HEAVY = ['axios', 'undici', 'pg', 'fastify', 'fast-xml-parser', 'hucre', 'echarts', '@noble/hashes'];

describe('a command that asks a local database', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tieout-start-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function loadedBy(...argv: string[]): string[] {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', LISTING, '--', MAIN, ...argv], {
      cwd: folder,
      env: { ...env, TIEOUT_DATABASE_URL: `sqlite:${folder}/tieout.db` },
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[];
  }

  // A report of an unknown run ends after all that renders one was loaded.
  it.each([['breaks', 'list'], ['plan'], ['runs', 'list'], ['db', 'status'], ['report', 'nightly-2026-11-20-r1']])(
    'loads no client and no server: %s %s',
    (...argv) => {
      const loaded = loadedBy(...argv.filter((word) => word !== undefined));
      expect(loaded).toContain('better-sqlite3');
      expect(loaded.filter((name) => HEAVY.includes(name))).toEqual([]);
    },
  );

  it.each(['--help', '--version'])('loads no command, and so no parser, for %s', (flag) => {
    expect(loadedBy(flag).filter((name) => [...HEAVY, 'zod', 'yaml', 'better-sqlite3'].includes(name))).toEqual([]);
  });

  it('still lists every command in its help, and names an unknown one', () => {
    const help = (...argv: string[]) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', LISTING, '--', MAIN, ...argv], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    expect(help('--help')).toMatch(/\n {2}demo [\s\S]*\n {2}breaks [\s\S]*\n {2}doctor /);
    expect(help('help', 'breaks')).toMatch(/list[\s\S]*waive/);
  });
});

it('every command is found by its first word, and is listed without being loaded', async () => {
  const register = async (argv: readonly string[]) => {
    const context = new CliContext({} as SessionInput);
    const program = new CliCommand('tieout', context);
    for (const each of await commandsFor(argv)) each(program, context);
    return program.commands;
  };
  const shapeOf = (command: Command | undefined): unknown => ({
    summary: command?.summary(),
    options: command?.options.map(({ long }) => long),
    commands: command?.commands.map((each) => each.name()),
  });
  const listed = await register([]);
  const words = listed.map((each) => each.name());
  const all = await register(words);
  expect(all.filter((each) => each.options.length + each.commands.length > 0).length).toBeGreaterThan(25);
  for (const command of all) {
    const name = command.name();
    expect(shapeOf(listed.find((each) => each.name() === name))).toEqual({
      summary: command.summary(),
      options: [],
      commands: [],
    });
    expect(shapeOf((await register([name])).find((each) => each.name() === name))).toEqual(shapeOf(command));
  }
});
