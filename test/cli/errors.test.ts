import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../config/problems.ts';
import { reportError } from '../../src/cli/main.ts';
import { Scrubber } from '../../src/cli/scrub.ts';
import { EXIT, exitCodeOf, UsageError } from '../../src/domain/errors.ts';
import { SourceQueryError, SourceUnavailableError, UnreadableFileError } from '../../src/intake/errors.ts';
import { DatabaseUnavailableError, LeaseLostError, UnknownRunError } from '../../src/ports/store/errors.ts';
import { LockHeldError } from '../../src/runner/lease.ts';

describe('the exit code', () => {
  it.each([
    [new ConfigError([]), 2],
    [new UsageError('x'), 2],
    [new UnreadableFileError('ids.csv', 'x'), 2],
    [new SourceQueryError('app', 'x'), 2],
    [new UnknownRunError('x'), 2],
    [new SourceUnavailableError('app', 'x', 'y'), 4],
    [new DatabaseUnavailableError('x', 'full'), 4],
    [new LockHeldError('x', 'y', 0), 5],
    [new LeaseLostError('x'), 5],
    [new TypeError('a defect'), 4],
    ['not even an error', 4],
  ])('of %s is %d', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it('is never clean and never breaks for something thrown', () => {
    for (const thrown of [undefined, null, 0, '', new Error('x')]) {
      expect([EXIT.clean, EXIT.breaks, EXIT.incomplete]).not.toContain(exitCodeOf(thrown));
    }
  });

  /** These are caught where they are thrown from: each is about one value, one row or one answer. */
  const CAUGHT_EARLIER = [
    'CsvSyntaxError',
    'DecimalSyntaxError',
    'ExactJsonError',
    'ForeignItemError',
    'FormatFailedError',
    'NotTextError',
    'PlaceTakenError',
    'RefusedError',
    'RefusedForSomeError',
    'ServiceError',
    'TooManyValuesError',
    'Unanswered',
    'UnpricedRecordError',
  ];

  it('is decided for every class of error that there is', () => {
    const classes = globSync(['src/**/*.ts', 'config/**/*.ts', 'jobs/**/*.ts', 'reports/**/*.ts']).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/class (\w+) extends (\w*Error)\b/g)].map(([, name = '', base]) => ({
        name,
        base,
      })),
    );
    expect(classes.map(({ name }) => name)).toContain('ConfigError');
    const plain = classes.filter(({ base }) => base === 'Error' || base === 'AggregateError').map(({ name }) => name);
    expect(plain.filter((name) => name !== 'TieoutError').sort()).toEqual(CAUGHT_EARLIER);
  });
});

describe('an error', () => {
  const scrubber = new Scrubber();
  scrubber.add(['hunter2']);
  const told = (error: unknown, verbose = false) =>
    reportError(error, { verbose, scrub: (text) => scrubber.scrub(text) });

  it('with a message for people is printed as one line', () => {
    expect(told(new UsageError('there is no run x; `tieout runs list` lists the runs'))).toBe(
      'tieout: there is no run x; `tieout runs list` lists the runs\n',
    );
  });

  it('prints its causes on request', () => {
    const error = new UsageError('cannot', { cause: new Error('because', { cause: new TypeError('deep') }) });
    expect(told(error, true)).toBe('tieout: cannot\n  because: Error: because\n  because: TypeError: deep\n');
  });

  it('of a full disk is no defect of the program', () => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(told(error)).toBe('tieout: the disk is full (ENOSPC); free some space, then run the command again\n');
    expect(told(error, true)).not.toContain('defect');
  });

  it('that are unexpected are one line with a hint', () => {
    expect(told(new TypeError('x is not a function'))).toBe(
      'tieout: unexpected error: TypeError: x is not a function\nRun again with -v to see the cause.\n',
    );
    expect(told(new TypeError('x is not a function'), true)).toMatch(/\n {4}at .*errors\.test\.ts/);
  });

  it('prints no secret and no control sequence', () => {
    const error = new UsageError('hunter2 \u001b[2J', { cause: new Error('GET ?secret=abcdef') });
    expect(told(error, true)).toBe('tieout: [secret] \\x1b[2J\n  because: Error: GET ?secret=[secret]\n');
  });
});
