/** What a process says before it ends with an error: a line for a person, or one more line of a log that a program collects. */
import { expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { UnavailableError, UsageError } from '../../src/domain/errors.ts';
import { aWorld } from './world.ts';

class AwayError extends UnavailableError {
  constructor() {
    super('the database is away', { remedy: 'bring it back', cause: new Error('connect ECONNREFUSED') });
  }
}

const failing = async (line: string, options: { tty?: boolean; level?: string; error?: Error } = {}) => {
  const world = aWorld({ tty: options.tty ?? false, env: { TIEOUT_LOG_LEVEL: options.level ?? 'info' } });
  const code = await runCli(line.split(' '), world, async () => {
    throw options.error ?? new AwayError();
  });
  return { code, lines: world.err().trimEnd().split('\n') };
};

it.each(['worker', 'serve', 'schedule'])(
  'of %s are one line of JSON, with what the error came from',
  async (service) => {
    const { code, lines } = await failing(service);
    expect(code).toBe(4);
    const last = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    expect(last).toMatchObject({ level: 'fatal', name: 'tieout', exitCode: 4 });
    expect(last.msg).toBe('the database is away; bring it back');
    expect(last.error).toContain('Error: connect ECONNREFUSED');
  },
);

it('are words at a terminal, and of a command that has logged nothing', async () => {
  expect((await failing('worker', { tty: true })).lines).toEqual(['tieout: the database is away; bring it back']);
  expect((await failing('runs list')).lines).toEqual(['tieout: the database is away; bring it back']);
});

it('are words where a setting is wrong', async () => {
  const error = new UsageError('cannot listen on port 8080', { remedy: 'set webhooks.port' });
  expect(await failing('serve', { error })).toEqual({
    code: 2,
    lines: ['tieout: cannot listen on port 8080; set webhooks.port'],
  });
});

it('are said where the log is silent as well', async () => {
  expect((await failing('worker', { level: 'silent' })).lines).toEqual(['tieout: the database is away; bring it back']);
});
