import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/ports/report-definition.ts';
import { realFileSystem } from '../../src/publish/file-system.ts';
import { profileOf } from '../../src/publish/profiles.ts';
import { readerOf } from '../../src/publish/read-back.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { aRecord, facts, openPublication, publishSet, RECORDS, THREE_RECORDS, TWO_FEES } from './support/a-set.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();

const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'];

async function threeNights(options: Partial<Parameters<typeof publishSet>[0]> = {}): Promise<string> {
  const out = tempFolder();
  for (const businessDate of DAYS) await publishSet({ out, businessDate, ...options });
  return out;
}

/** What does not hold, each with the set or file that it is about. */
async function problemsOf(...paths: string[]): Promise<string[]> {
  const verified = await verifySets(paths);
  return verified.flatMap(({ path, problems }) => problems.map((problem) => `${basename(path)}: ${problem}`));
}

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

const inMiddle = (out: string, file: string) => join(out, '2026-11-19/nightly-r1', file);

it.each(['manifest.json', 'records.csv'])(
  'a pipe, a device or a folder in the place of %s is no file: the check waited for ever',
  async (name) => {
    for (const make of [
      (path: string) => execFileSync('mkfifo', [path]),
      (path: string) => symlinkSync('/dev/zero', path),
      (path: string) => mkdirSync(path),
    ]) {
      const out = await threeNights();
      const path = inMiddle(out, name);
      rmSync(path, { force: true });
      make(path);
      expect(await problemsOf(out)).toContainEqual(
        expect.stringMatching(`^nightly-r1: ${name}:? (?:is missing|cannot be read)`),
      );
    }
  },
);

it('a manifest larger than any is none: it was read into memory', async () => {
  const out = await threeNights();
  truncateSync(inMiddle(out, 'manifest.json'), 3 * 2 ** 30);
  expect(await problemsOf(out)).toContainEqual(expect.stringMatching('^nightly-r1: manifest.json:? is missing'));
});

it('a link in the place of a file is found, though it leads to the same bytes today', async () => {
  const out = await threeNights();
  const path = inMiddle(out, 'records.csv');
  renameSync(path, join(out, 'elsewhere.csv'));
  symlinkSync(join(out, 'elsewhere.csv'), path);
  expect(await problemsOf(out)).toEqual([expect.stringMatching(/^nightly-r1: records.csv: is a link to another file/)]);
});

it.each(['2026-11-19/nightly-r1', '2026-11-19'])('%s as a link to a folder elsewhere held', async (name) => {
  const out = await threeNights();
  const elsewhere = join(tempFolder(), 'moved');
  renameSync(join(out, name), elsewhere);
  symlinkSync(elsewhere, join(out, name));
  expect(await problemsOf(out)).toEqual(['nightly-r1: its folder is a link to another one; move the set itself here']);
  expect(await problemsOf(join(out, 'latest'))).toEqual([]);
});

it('a pipe in the place of the signature of an unsigned set, and a link in that of a manifest, held', async () => {
  const out = await threeNights();
  execFileSync('mkfifo', [inMiddle(out, 'manifest.json.sig')]);
  const manifest = inMiddle(out, 'manifest.json');
  renameSync(manifest, join(out, 'elsewhere.json'));
  symlinkSync(join(out, 'elsewhere.json'), manifest);
  expect(await problemsOf(out)).toEqual([
    expect.stringMatching(/^nightly-r1: manifest.json: is a link to another file/),
    expect.stringMatching(/^nightly-r1: manifest.json.sig: is not in the manifest/),
  ]);
});

it.each(['manifests.ndjson', 'latest', '2026-11-19', '2026-11-19/nightly-r1/manifest.json'])(
  'a link that leads to itself in the place of %s was an unexpected error',
  async (name) => {
    const out = await threeNights();
    rmSync(join(out, name), { recursive: true });
    symlinkSync(basename(name), join(out, name));
    expect(await problemsOf(out)).not.toEqual([]);
  },
);

it('a file in the place of the link to the newest set was an unexpected error, and the next night puts it right', async () => {
  const out = await threeNights();
  rmSync(join(out, 'latest'));
  writeFileSync(join(out, 'latest'), 'x');
  expect(await problemsOf(out)).toEqual([expect.stringContaining('latest is gone')]);
  await publishSet({ out, businessDate: '2026-11-21' });
  expect(await problemsOf(out)).toEqual([]);
});

it('a manifest of brackets, and a file without an end, are not read to their end', async () => {
  const out = await threeNights();
  truncateSync(inMiddle(out, 'records.csv'), 2 ** 40);
  expect(await problemsOf(out)).toEqual([expect.stringMatching(/records.csv: has more than \d+ bytes/)]);
  writeFileSync(inMiddle(out, 'manifest.json'), `{"a":${'['.repeat(5_000_000)}`);
  expect(await problemsOf(out)).toContainEqual(expect.stringContaining('5000005 bytes, which is none of ours'));
});

it('a line of NDJSON without an end is not kept: it took quadratic time', () => {
  const reader = readerOf('records.ndjson', profileOf('standard'));
  expect(reader?.push('{"a":1}\n')).toHaveLength(2);
  expect(() => reader?.push('x'.repeat(5_000_000))).toThrow('row 2: is too long');
});

it('two hundred thousand files that no manifest names were an unexpected error', async () => {
  const out = await threeNights();
  const names = Array.from({ length: 200_000 }, (_, n) => `f${n}`);
  const set = inMiddle(out, '');
  const list = (path: string) => [...realFileSystem.list(path), ...(join(path, '') === set ? names : [])];
  const [found] = await verifySets(set, { fileSystem: { ...realFileSystem, list } });
  expect(found?.problems).toHaveLength(101);
  expect(found?.problems.at(-1)).toBe('and 199900 more that are not in the manifest');
});

describe('a manifest with a value of another kind', () => {
  it('is reported, at each of its keys', async () => {
    const out = await threeNights();
    const path = inMiddle(out, 'manifest.json');
    const whole = readFileSync(path, 'utf8');
    const keys = Object.keys(JSON.parse(whole));
    expect(keys.length).toBeGreaterThan(20);
    for (const key of keys) {
      for (const value of [null, 'x', 7, [], {}, '0000-00-00']) {
        writeFileSync(path, JSON.stringify({ ...JSON.parse(whole), [key]: value }));
        expect(await problemsOf(out), `${key}: ${JSON.stringify(value)}`).toContainEqual(
          expect.stringMatching(/^nightly-r1: manifest\.json: /),
        );
      }
    }
  });
});

describe('a file of a manifest', () => {
  const SHA = 'must be a SHA-256 of 64 hexadecimal digits';
  it.each([
    ['totals', null, 'must be an object of totals by currency'],
    ['totals', 'EUR', 'must be an object of totals by currency'],
    ['totals', { EUR: { fiat_value: '1,5' } }, 'must be an object of totals by currency'],
    ['totals', { EUR: { fiat_value: 10 } }, 'must be an object of totals by currency'],
    ['rounding', { EUR: { fiat_value: '1e3' } }, 'EUR.fiat_value: must be a plain decimal'],
    ['rounding', { EUR: { fiat_value: '.5' } }, 'EUR.fiat_value: must be a plain decimal'],
    ['sha256', 'A'.repeat(64), SHA],
    ['sha256', `${'a'.repeat(64)}0`, SHA],
    ['sha256', ` ${'a'.repeat(63)}`, SHA],
    ['bytes', -1, 'Too small: expected number to be >=0'],
    ['bytes', 1.5, 'Invalid input: expected int, received number'],
    ['name', 'a/b.csv', 'must be a plain file name'],
    ['name', '.hidden', 'must be a plain file name'],
    ['name', 'records.csv\n', 'must be a plain file name'],
  ])('whose %s is %j is reported', async (key, value, problem) => {
    const out = tempFolder();
    await publishSet({ out });
    edit(join(out, 'latest/manifest.json'), (text) => {
      const manifest = JSON.parse(text);
      manifest.files[0][key] = value;
      return JSON.stringify(manifest);
    });
    const [found] = await problemsOf(join(out, 'latest'));
    expect(found).toContain(`manifest.json: files.0.${key}`);
    expect(found).toContain(problem);
  });
});

describe('an untouched folder', () => {
  it.each(PROFILES)('holds in profile %s, exact and at minor units', async (profile) => {
    const out = tempFolder();
    await publishSet({ out, profile });
    await publishSet({ out, profile, decimals: 'minor-units', businessDate: '2026-11-21', formats: ['csv', 'json'] });
    const verified = await verifySets(out);
    expect(verified.map(({ path, runId, files, rows, problems }) => [path, runId, files, rows, problems])).toEqual([
      [join(out, '2026-11-20/nightly-r1'), 'nightly-2026-11-20-r1', 3, 5, []],
      [join(out, '2026-11-21/nightly-r1'), 'nightly-2026-11-21-r1', 5, 10, []],
    ]);
  });

  it('can be given as a whole, as a date, as a set, or as several of them', async () => {
    const out = await threeNights();
    const pathsOf = async (...paths: string[]) =>
      (await verifySets(paths)).map(({ path, problems }) => [path.slice(out.length + 1), ...problems]);
    expect(await pathsOf(out)).toEqual(DAYS.map((date) => [`${date}/nightly-r1`]));
    expect(await pathsOf(join(out, '2026-11-19'))).toEqual([['2026-11-19/nightly-r1']]);
    expect(await pathsOf(join(out, '2026-11-19/nightly-r1'))).toEqual([['2026-11-19/nightly-r1']]);
    expect(await pathsOf(join(out, '2026-11-18'), join(out, '2026-11-20/'))).toEqual([
      ['2026-11-18/nightly-r1'],
      ['2026-11-20/nightly-r1'],
    ]);
  });

  it('can be given as latest', async () => {
    const out = await threeNights();
    const verified = await verifySets(join(out, 'latest'));
    expect(verified.map(({ path, problems }) => [path, problems])).toEqual([[join(out, '2026-11-20/nightly-r1'), []]]);
  });

  it('holds where one set was copied elsewhere, without its chain', async () => {
    const out = await threeNights();
    const elsewhere = join(tempFolder(), 'evidence');
    cpSync(join(out, '2026-11-19/nightly-r1'), elsewhere, { recursive: true });
    expect(await problemsOf(elsewhere)).toEqual([]);
  });

  it('holds where a publication ended before it listed its set', async () => {
    const out = await threeNights();
    edit(join(out, 'manifests.ndjson'), (text) => `${text.split('\n').slice(0, 2).join('\n')}\n`);
    expect(await problemsOf(out)).toEqual([]);
    await publishSet({ out, businessDate: '2026-11-21' });
    expect(readFileSync(join(out, 'manifests.ndjson'), 'utf8').match(/"path":"[^"]+"/g)).toEqual(
      [...DAYS, '2026-11-21'].map((date) => `"path":"${date}/nightly-r1"`),
    );
    expect(await problemsOf(out)).toEqual([]);
  });
});

describe('tampering with rows', () => {
  it.each([
    [
      'an amount: names the column, the currency and both totals',
      (text: string) => text.replace(',EUR,10,', ',EUR,11,'),
      'nightly-r1: records.csv: fiat_value in EUR adds up to 11.125, the manifest says 10.125; restore the set from a backup, or render the run again (tieout report) and compare',
    ],
    [
      'an amount moved to another currency',
      (text: string) => text.replace(',JPY,', ',USD,'),
      expect.stringContaining('fiat_value in JPY adds up to nothing, the manifest says 1500'),
    ],
    [
      'an amount that is no number',
      (text: string) => text.replace(',1500,', ',1.500E3x,'),
      expect.stringContaining('records.csv: row 2: fiat_value is not a number: 1.500E3x'),
    ],
    [
      'a text',
      (text: string) => text.replace('order-1', 'order-9'),
      expect.stringMatching(/records\.csv: was changed: its SHA-256 is [0-9a-f]{64}/),
    ],
    [
      'a row removed',
      (text: string) => text.replace(/^sb,.*\n/m, ''),
      expect.stringContaining('records.csv: has 2 rows, the manifest says 3'),
    ],
    [
      'rows reordered',
      (text: string) => text.replace(/^(.*\n)(.*\n)(.*\n)/, '$1$3$2'),
      expect.stringContaining('records.csv: was changed'),
    ],
    [
      'a cell too many',
      (text: string) => text.replace(',JPY,', ',JPY,JPY,'),
      expect.stringContaining('records.csv: row 2: has 11 cells, the header has 10'),
    ],
    [
      'a column renamed',
      (text: string) => text.replace('fiat_value', 'value'),
      expect.stringContaining('records.csv: the header has no column fiat_value'),
    ],
  ])('%s', async (_, change, problem) => {
    const out = await threeNights();
    edit(inMiddle(out, 'records.csv'), change);
    expect(await problemsOf(out)).toEqual([problem]);
  });

  it('saved again by a spreadsheet, with other line ends', async () => {
    const out = await threeNights({ profile: 'excel' });
    edit(inMiddle(out, 'records.csv'), (text) => text.replace('\uFEFF', '').replaceAll('\r\n', '\n'));
    expect(await problemsOf(out)).toEqual([
      expect.stringContaining('records.csv: begins without the byte order mark of profile excel'),
    ]);
  });

  it('cut off in the middle of a row, or of a character', async () => {
    const out = await threeNights();
    const path = inMiddle(out, 'records.csv');
    writeFileSync(path, readFileSync(path).subarray(0, -30));
    expect(await problemsOf(out)).toEqual([expect.stringContaining('records.csv: row 3: has')]);
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from([0xc3])]));
    expect(await problemsOf(out)).toEqual([expect.stringContaining('records.csv: is not UTF-8 text')]);
  });

  it('in a JSON table', async () => {
    const out = await threeNights({ formats: ['json'] });
    edit(inMiddle(out, 'records.ndjson'), (text) => text.replace('"fiat_value":"10"', '"fiat_value":"11"'));
    expect(await problemsOf(out)).toEqual([
      expect.stringContaining('records.ndjson: fiat_value in EUR adds up to 11.125'),
    ]);
  });
});

describe('tampering with files', () => {
  it('a file removed', async () => {
    const out = await threeNights();
    rmSync(inMiddle(out, 'fees.csv'));
    expect(await problemsOf(out)).toEqual([
      expect.stringContaining('fees.csv: is missing; restore the set from a backup'),
    ]);
  });

  it('a file added', async () => {
    const out = await threeNights();
    writeFileSync(inMiddle(out, 'records (1).csv'), 'x\n');
    expect(await problemsOf(out)).toEqual([
      'nightly-r1: records (1).csv: is not in the manifest; move it out of the set',
    ]);
  });

  it('a document changed', async () => {
    const out = tempFolder();
    const publication = openPublication({ out });
    publication.open(RECORDS).write(THREE_RECORDS);
    await publication.attach('report.html', [Buffer.from('<p>1</p>')]);
    await publication.publish(facts());
    edit(join(out, 'latest/report.html'), (text) => text.replace('1', '2'));
    expect(await problemsOf(out)).toEqual([expect.stringContaining('report.html: was changed')]);
  });

  it('the manifest edited to agree with an edited file', async () => {
    const out = await threeNights();
    edit(inMiddle(out, 'manifest.json'), (text) => text.replace('"requests_sent": 3', '"requests_sent": 4'));
    expect(await problemsOf(out)).toEqual([
      expect.stringMatching(
        /nightly-r1: manifest\.json: was changed after publication: its SHA-256 is .* manifests\.ndjson holds/,
      ),
    ]);
  });

  it('the manifest removed, or made unreadable', async () => {
    const out = await threeNights();
    edit(inMiddle(out, 'manifest.json'), (text) => text.replace('"revision": 1', '"revision": "one"'));
    expect((await problemsOf(out))[0]).toMatch(/manifest\.json: revision: Invalid input/);
    writeFileSync(inMiddle(out, 'manifest.json'), '{');
    expect((await problemsOf(out))[0]).toMatch(/manifest\.json: is not JSON/);
    writeFileSync(inMiddle(out, 'manifest.json'), Buffer.from([0x22, 0xff, 0x22]));
    expect((await problemsOf(out))[0]).toMatch(/manifest\.json: is not JSON: /);
    writeFileSync(inMiddle(out, 'manifest.json'), '7');
    expect((await problemsOf(out))[0]).toMatch(/manifest\.json: the whole: Invalid input: expected object/);
    rmSync(inMiddle(out, 'manifest.json'));
    expect(await problemsOf(inMiddle(out, ''))).toEqual([expect.stringContaining('there is no manifest.json in it')]);
    expect(await problemsOf(out)).toEqual([
      'manifests.ndjson: 2026-11-19/nightly-r1 was published and is gone; restore it from a backup',
    ]);
  });

  it('a manifest that points out of its folder is not followed', async () => {
    const out = await threeNights();
    edit(inMiddle(out, 'manifest.json'), (text) => text.replace('"records.csv"', '"../../../etc/passwd"'));
    expect((await problemsOf(out))[0]).toMatch(/manifest\.json: files\.0\.name: must be a plain file name/);
  });
});

describe('tampering with what readers see first', () => {
  const point = (out: string, target: string) => {
    rmSync(join(out, 'latest'), { force: true });
    symlinkSync(target, join(out, 'latest'));
  };

  it.each([
    ['removed', null, 'latest is gone: it should point at 2026-11-20/nightly-r1; make the link again'],
    [
      'moved to an older set',
      '2026-11-18/nightly-r1',
      'latest points at 2026-11-18/nightly-r1 and not at 2026-11-20/nightly-r1: it was moved by hand; make the link again',
    ],
    [
      'moved to a set that was not published here',
      '2026-11-20/nightly-r7',
      'latest points at 2026-11-20/nightly-r7, which was not published here, or is gone with its line; restore it from a backup',
    ],
  ])('`latest` %s', async (_, target, problem) => {
    const out = await threeNights();
    if (target === null) rmSync(join(out, 'latest'));
    else point(out, target);
    expect(await problemsOf(out)).toEqual([`manifests.ndjson: ${problem}`]);
  });

  it('`latest-audit` made where there was no audit, or moved to a night', async () => {
    const out = await threeNights();
    symlinkSync('2026-11-20/nightly-r1', join(out, 'latest-audit'));
    expect(await problemsOf(out)).toEqual([
      'manifests.ndjson: latest-audit points at 2026-11-20/nightly-r1 and not at nothing: it was moved by hand; make the link again',
    ]);
  });

  it('`latest` one publication behind is left by a crash', async () => {
    const out = await threeNights();
    point(out, '2026-11-19/nightly-r1');
    expect(await problemsOf(out)).toEqual([]);
  });

  it('a file, or a folder, planted beside the sets', async () => {
    const out = await threeNights();
    writeFileSync(join(out, '2026-11-19/breaks.csv'), 'x\n');
    mkdirSync(join(out, '2026-11-20/nightly-r9'));
    // An attempt that a crash left: the next publication clears it.
    mkdirSync(join(out, '2026-11-20/.nightly-r2.somebody.partial'));
    expect(await problemsOf(out)).toEqual([
      'breaks.csv: was not published here; move it out of the folder',
      'nightly-r9: was not published here; move it out of the folder',
    ]);
  });
});

describe('a file that cannot be read', () => {
  it('is distinguished from a missing one; the others are verified', async () => {
    const out = await threeNights();
    const fileSystem = {
      ...realFileSystem,
      open: (path: string, flags: 'r' | 'wx', mode?: number) => {
        if (path.endsWith('fees.csv')) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
        return realFileSystem.open(path, flags, mode);
      },
    };
    const [first] = await verifySets(join(out, '2026-11-19'), { fileSystem });
    expect(first).toMatchObject({ files: 3, rows: 3 });
    expect(first?.problems).toEqual([expect.stringContaining('fees.csv: cannot be read: input/output error; restore')]);
  });

  it('as a manifest or a list ends the verification with the error of the system', async () => {
    const out = await threeNights();
    const failing = (name: string) => ({
      ...realFileSystem,
      readFile: (path: string) => {
        if (path.endsWith(name)) throw Object.assign(new Error(`EIO: ${name}`), { code: 'EIO' });
        return realFileSystem.readFile(path);
      },
    });
    for (const name of ['manifest.json', 'manifests.ndjson']) {
      await expect(verifySets(out, { fileSystem: failing(name) })).rejects.toThrow(`EIO: ${name}`);
    }
  });
});

describe('a set whose list is gone', () => {
  it('is found by its date, its own folder and the out folder', async () => {
    const out = await threeNights();
    rmSync(join(out, 'manifests.ndjson'));
    const setsOf = async (path: string) => (await verifySets(path)).map((set) => [set.path, ...set.problems]);
    const [first, second, third] = DAYS.map((date) => [join(out, date, 'nightly-r1')]);
    expect(await setsOf(join(out, '2026-11-19'))).toEqual([second]);
    expect(await setsOf(join(out, '2026-11-19/nightly-r1'))).toEqual([second]);
    expect(await setsOf(out)).toEqual([first, second, third, [join(out, 'manifests.ndjson'), expect.any(String)]]);
  });
});

describe('tampering with the chain', () => {
  it('a set removed', async () => {
    const out = await threeNights();
    rmSync(join(out, '2026-11-19'), { recursive: true });
    expect(await problemsOf(out)).toEqual([
      'manifests.ndjson: 2026-11-19/nightly-r1 was published and is gone; restore it from a backup',
    ]);
  });

  it('a set removed, and its line with it', async () => {
    const out = await threeNights();
    rmSync(join(out, '2026-11-19'), { recursive: true });
    edit(join(out, 'manifests.ndjson'), (text) => text.replace(/^.*2026-11-19.*\n/m, ''));
    expect(await problemsOf(out)).toEqual([
      expect.stringMatching(
        /nightly-r1: manifest\.json: follows the manifest [0-9a-f]{64}, but manifests\.ndjson has it after 2026-11-18\/nightly-r1/,
      ),
      'manifests.ndjson: line 2: 2026-11-20/nightly-r1 does not follow the line before it; restore it from a backup',
    ]);
  });

  it('a set removed, its line too, and the next line made to fit', async () => {
    const out = await threeNights();
    rmSync(join(out, '2026-11-19'), { recursive: true });
    edit(join(out, 'manifests.ndjson'), (text) => {
      const [first, , third] = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      return `${[first, { ...third, previous: first.sha256 }].map((link) => JSON.stringify(link)).join('\n')}\n`;
    });
    // The manifest itself still names the one that is gone.
    expect(await problemsOf(out)).toEqual([expect.stringContaining('a set was removed, moved or changed')]);
    expect(await problemsOf(join(out, '2026-11-20'))).toEqual([
      expect.stringContaining('a set was removed, moved or changed'),
    ]);
  });

  it('lines swapped', async () => {
    const out = await threeNights();
    edit(join(out, 'manifests.ndjson'), (text) => {
      const [one, two, three] = text.split('\n');
      return `${[two, one, three].join('\n')}\n`;
    });
    expect((await problemsOf(out)).at(-1)).toMatch(/manifests\.ndjson: line 1: 2026-11-19\/nightly-r1 does not follow/);
  });

  it('a set moved to another name', async () => {
    const out = await threeNights();
    renameSync(join(out, '2026-11-19/nightly-r1'), join(out, '2026-11-19/nightly-r2'));
    expect(await problemsOf(out)).toEqual([
      expect.stringContaining('nightly-r2: is not in manifests.ndjson and does not follow the last set there'),
      expect.stringContaining('2026-11-19/nightly-r1 was published and is gone'),
    ]);
  });

  it('the list damaged, emptied or removed', async () => {
    const out = await threeNights();
    appendFileSync(join(out, 'manifests.ndjson'), '{"path":');
    expect(await problemsOf(out)).toEqual([
      `manifests.ndjson: ${join(out, 'manifests.ndjson')}:4 is not a link of the chain of manifests; restore the file from a backup`,
    ]);
    await expect(publishSet({ out, businessDate: '2026-11-21' })).rejects.toThrow(/:4 is not a link of the chain/);
    writeFileSync(join(out, 'manifests.ndjson'), '');
    expect(await problemsOf(out)).toEqual([
      'manifests.ndjson: is empty, so nothing shows whether a set was removed; restore it from a backup',
    ]);
    rmSync(join(out, 'manifests.ndjson'));
    expect(await problemsOf(out)).toEqual([
      'manifests.ndjson: is missing, so nothing shows whether a set was removed; restore it from a backup',
    ]);
  });

  it('a list that was lost is found again by the next publication, from the manifests', async () => {
    const out = await threeNights();
    const list = readFileSync(join(out, 'manifests.ndjson'), 'utf8');
    rmSync(join(out, 'manifests.ndjson'));
    await publishSet({ out, businessDate: '2026-11-21' });
    expect(readFileSync(join(out, 'manifests.ndjson'), 'utf8').startsWith(list)).toBe(true);
    expect(await problemsOf(out)).toEqual([]);
  });
});

describe('a set that never added up', () => {
  it('a fee whose parts do not foot: names the row, the record and both sums', async () => {
    const out = tempFolder();
    await publishSet({
      out,
      fees: [...TWO_FEES, { id: 'sd', applied: '1', base: '0.5', network: null, adjustment: '0.4' }],
    });
    expect(await problemsOf(out)).toEqual([
      expect.stringContaining(
        'fees.csv: row 3 (record sd): applied_fee_variance is 1, but base, network and adjustment variance add up to 0.9',
      ),
    ]);
  });

  it('verdicts that are not those of the records', async () => {
    const out = tempFolder();
    await publishSet({ out, records: [aRecord(), aRecord({ verdict: 'break' }), aRecord({ verdict: 'break' })] });
    expect(await problemsOf(out)).toEqual([
      expect.stringContaining('records.csv: the verdict matched is there 1 times, the manifest says 2'),
    ]);
  });

  it('verdicts that do not add up to the population', async () => {
    const out = tempFolder();
    await publishSet({ out, facts: { population: 4 } });
    expect(await problemsOf(out)).toEqual([
      'nightly-r1: manifest.json: the verdicts add up to 3, the population is 4; restore the set from a backup',
    ]);
  });
});

it('says so where there is nothing to verify', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'empty'));
  expect(await problemsOf(join(folder, 'empty'))).toEqual([
    expect.stringContaining('empty: there is no manifest.json in it'),
  ]);
  expect(await problemsOf(join(folder, 'absent'))).toEqual(['absent: there is no such folder']);
  expect(await verifySets(join(folder, 'absent'))).toMatchObject([
    { path: join(folder, 'absent'), runId: null, files: 0, rows: 0, signature: 'unsigned', keyId: null },
  ]);
  writeFileSync(join(folder, 'empty/notes.txt'), '');
  expect(await problemsOf(join(folder, 'empty/notes.txt'))).toEqual([
    'notes.txt: this is a file, not a folder; give the folder of a set, of a date, the out folder, or that a claim was unpacked into',
  ]);
  expect(await problemsOf(join(folder, 'empty/notes.txt/set'))).toEqual(['set: there is no such folder']);
  expect(readdirSync(folder)).toEqual(['empty']);
});
