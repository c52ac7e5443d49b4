/** What a command loads: most of the time of a short command is loading, and a test of seconds would depend on the machine. */
import { spawnSync } from 'node:child_process';
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

/** Runs commands one after the other in one process, and after each prints the packages that have been loaded by then. */
const LISTING = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({ load(url, context, next) {
    packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? '');
    return next(url, context);
  } });
  const { main } = await import(process.argv[1]);
  for (const argv of JSON.parse(process.argv[2])) {
    await main(argv);
    console.log('\\nloaded: ' + JSON.stringify([...packages]));
  }
`;

/** Libraries that send, serve, read statements, or print: none is part of asking a local database. */
const HEAVY = ['axios', 'undici', 'pg', 'fastify', 'fast-xml-parser', 'hucre', 'echarts', '@noble/hashes'];

describe('a command that asks a local database', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tieout-start-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What each of the commands printed, and what was loaded when it had ended. */
  function ran(...commands: readonly string[]): { command: string; out: string; loaded: readonly string[] }[] {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const argvs = JSON.stringify(commands.map((command) => command.split(' ')));
    // Its exit code is that of the last one.
    const { stdout: out } = spawnSync(process.execPath, ['--input-type=module', '-e', LISTING, '--', MAIN, argvs], {
      cwd: folder,
      env: { ...env, TIEOUT_DATABASE_URL: `sqlite:${folder}/tieout.db` },
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    const printed = [...out.matchAll(/(.*?)\nloaded: ([^\n]*)\n/gs)];
    expect(printed).toHaveLength(commands.length);
    return printed.map(([, text = '', loaded = '[]'], n) => ({
      command: commands[n] ?? '',
      out: text,
      loaded: JSON.parse(loaded) as string[],
    }));
  }

  it('loads no client and no server', () => {
    // A report of an unknown run ends after all that renders one was loaded.
    const commands = ['breaks list', 'plan', 'runs list', 'db status', 'report nightly-2026-11-20-r1'];
    for (const { command, loaded } of ran(...commands)) {
      expect([command, loaded]).toEqual([command, expect.arrayContaining(['better-sqlite3'])]);
      expect([command, loaded.filter((name) => HEAVY.includes(name))]).toEqual([command, []]);
    }
  });

  it('loads no command for --help and --version, lists every command in its help, and loads one for its own', () => {
    const [help, version, ofBreaks] = ran('--help', '--version', 'help breaks');
    for (const each of [help, version])
      expect(each?.loaded.filter((name) => [...HEAVY, 'zod', 'yaml', 'better-sqlite3'].includes(name))).toEqual([]);
    expect(help?.out).toMatch(/\n {2}demo [\s\S]*\n {2}breaks [\s\S]*\n {2}doctor /);
    expect(ofBreaks?.out).toMatch(/list[\s\S]*waive/);
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
