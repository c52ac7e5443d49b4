import { describe, expect, it } from 'vitest';
import { load, problem, problems } from './loading.ts';

const originOf = (loaded: ReturnType<typeof load>, path: string) =>
  loaded.describe().find((setting) => setting.path === path)?.origin;

describe('which value counts', () => {
  const yaml = 'out: from-file\ntimezone: Europe/Berlin\nservice:\n  concurrency: 3\n';

  it('is the default where no layer sets it', () => {
    const loaded = load();
    expect(loaded.settings.out).toBe('out');
    expect(loaded.settings.service.concurrency).toBe(8);
    expect(originOf(loaded, 'out')).toBe('default');
    expect(loaded.file).toBeNull();
  });

  it('is the file over the default, with its line', () => {
    const loaded = load({ yaml });
    expect(loaded.settings.out).toBe('from-file');
    expect(loaded.settings.service.concurrency).toBe(3);
    expect(loaded.settings.service.retries).toBe(3);
    expect(originOf(loaded, 'service.concurrency')).toBe('file tieout.yaml:4');
    expect(originOf(loaded, 'service.retries')).toBe('default');
    expect(loaded.file).toBe('tieout.yaml');
  });

  it('is the environment over the file', () => {
    const loaded = load({ yaml, env: { TIEOUT_OUT: 'from-env' } });
    expect(loaded.settings.out).toBe('from-env');
    expect(originOf(loaded, 'out')).toBe('env TIEOUT_OUT');
  });

  it('is the flag, before environment, file and default', () => {
    const flags = [{ flag: '--out', path: ['out'], value: 'from-flag' }];
    const loaded = load({ yaml, env: { TIEOUT_OUT: 'from-env' }, flags });
    expect(loaded.settings.out).toBe('from-flag');
    expect(originOf(loaded, 'out')).toBe('flag --out');
  });

  it('treats an empty variable as unset, as container tools pass them', () => {
    expect(load({ yaml, env: { TIEOUT_OUT: '' } }).settings.out).toBe('from-file');
  });

  it('merges maps name by name, and replaces lists whole', () => {
    const { settings } = load({
      yaml: 'schedule: { jobs: { recheck: off, retention: 30 3 * * 0 } }\nservice: { rateLimits: [{ requests: 5, per: 1s }] }\n',
    });
    expect([...settings.schedule.jobs]).toEqual([
      ['nightly', '15 4 * * *'],
      ['reference-data', '0 * * * *'],
      ['retention', '30 3 * * 0'],
    ]);
    expect(settings.service.rateLimits).toEqual([{ requests: 5, perMs: 1000 }]);
  });

  it('leaves a section alone whose lines are all commented out', () => {
    const { settings } = load({ yaml: 'service:\n  # guard: 9s\nsources:\nout: x\n' });
    expect(settings.service.guard).toBe(5000);
    expect(settings.sources).toEqual([]);
  });
});

describe('the settings file', () => {
  it('is the one that --config names, else TIEOUT_CONFIG, else tieout.yaml', () => {
    const files = { 'a.yaml': 'out: a', 'b.yaml': 'out: b' };
    expect(load({ files, yaml: 'out: c', configFile: 'a.yaml', env: { TIEOUT_CONFIG: 'b.yaml' } }).settings.out).toBe(
      'a',
    );
    expect(load({ files, yaml: 'out: c', env: { TIEOUT_CONFIG: 'b.yaml' } }).settings.out).toBe('b');
    expect(load({ files, yaml: 'out: c' }).settings.out).toBe('c');
  });

  it('must be there when it is named', () => {
    expect(problem({ configFile: 'nowhere.yaml' })).toBe(
      ' | flag --config | nowhere.yaml | cannot be read: there is no such file',
    );
    expect(problem({ env: { TIEOUT_CONFIG: 'nowhere.yaml' } })).toBe(
      ' | env TIEOUT_CONFIG | nowhere.yaml | cannot be read: there is no such file',
    );
  });

  it('may be empty, or only comments', () => {
    expect(load({ yaml: '' }).settings.out).toBe('out');
    expect(load({ yaml: '# nothing\n' }).settings.out).toBe('out');
  });

  it('names the line of bad YAML without showing its text', () => {
    const [first] = problems({ yaml: 'out: a\ndatabase: { url: "postgres://u:hunter2@h/d\nservice: {}\n' });
    expect(first).toEqual({
      path: '',
      where: 'tieout.yaml:4',
      value: null,
      message: 'not valid YAML: Missing closing "quote',
    });
  });

  it.each([
    ['says which name is there twice', 'out: a\nout: b\n', ':2 | - | not valid YAML: Map keys must be unique'],
    ['must be a map', '- out', ' | - | must be a map of names and values, one `name: value` a line'],
    ['survives an alias of itself', 'sources: &a [*a]\n', ' | - | holds far too much, or an alias of itself'],
  ])('%s', (_, yaml, says) => {
    expect(problem({ yaml })).toBe(` | tieout.yaml${says}`);
  });
});
