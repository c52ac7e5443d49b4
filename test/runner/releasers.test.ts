import { describe, expect, it } from 'vitest';
import { ReleaseError, Releasers, withReleasers } from '../../src/runner/releasers.ts';

describe('opened resources', () => {
  it('is closed last-in first-out, and the result is passed on', async () => {
    const closed: string[] = [];
    const result = await withReleasers(async (releasers) => {
      releasers.push('database', () => void closed.push('database'));
      releasers.push('server', async () => void closed.push('server'));
      return 42;
    });
    expect(result).toBe(42);
    expect(closed).toEqual(['server', 'database']);
  });

  it('is closed when the work fails, and the error is the work’s own', async () => {
    const closed: string[] = [];
    const failure = new Error('no such job');
    const work = withReleasers(async (releasers) => {
      releasers.push('database', () => void closed.push('database'));
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(closed).toEqual(['database']);
  });

  it('is closed once', async () => {
    let times = 0;
    const releasers = new Releasers();
    releasers.push('database', () => void times++);
    await releasers.release();
    await releasers.release();
    expect(times).toBe(1);
  });

  it('is closed at the end of a block', async () => {
    const closed: string[] = [];
    {
      await using releasers = new Releasers();
      releasers.push('database', () => void closed.push('database'));
    }
    expect(closed).toEqual(['database']);
  });
});

describe('what cannot be closed', () => {
  const openAll = (releasers: Releasers, closed: string[]) => {
    releasers.push('database', () => void closed.push('database'));
    releasers.push('server', () => {
      throw new Error('port stuck');
    });
    releasers.push('lock', async () => {
      throw new Error('lock gone');
    });
  };

  it('does not spare the rest, and is named', async () => {
    const closed: string[] = [];
    const error: unknown = await withReleasers(async (releasers) => openAll(releasers, closed)).catch(
      (e: unknown) => e,
    );
    expect(closed).toEqual(['database']);
    expect(error).toBeInstanceOf(ReleaseError);
    expect(error).toMatchObject({ remedy: 'see the causes with -v' });
    expect(String(error)).toContain('could not be closed properly: lock, server (the work before it was done)');
    expect((error as ReleaseError).cause).toBeUndefined();
    expect((error as ReleaseError).errors.map(String)).toEqual(['Error: lock gone', 'Error: port stuck']);
  });

  it('keeps the error of the work as its cause', async () => {
    const failure = new Error('no such job');
    const error: unknown = await withReleasers(async (releasers) => {
      openAll(releasers, []);
      throw failure;
    }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ReleaseError);
    expect((error as ReleaseError).cause).toBe(failure);
    expect((error as ReleaseError).message).toContain('(the work before it had failed already)');
  });
});
