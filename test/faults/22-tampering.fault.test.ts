/** Published files are changed: with an editor, with a spreadsheet, or knowing all about manifests. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readPublicKey } from '../../src/publish/keys.ts';
import { type VerifyOptions, verifySets } from '../../src/publish/verify.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type TemporaryFolder, temporaryFolder } from './harness/folder.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene } from './harness/scene.ts';

const DATES = ['2026-11-17', '2026-11-18', '2026-11-19'];
const SETS = DATES.map((date) => `${date}/nightly-r1`);
const [FIRST = '', MIDDLE = '', LAST = ''] = SETS;
const LIST = 'manifests.ndjson';

interface Tampering {
  name: string;
  /** What must be named: the end of the path that a problem names, or the beginning of a problem. */
  place: string;
  change: (out: string) => void;
}

faultRow(
  {
    number: 22,
    fault: 'report, manifest or list of manifests edited, deleted or reordered; forgery with every hash recomputed',
    how: 'three real nights, signed; each file of a set gets a flipped bit, is cut, emptied or removed, or has rows swapped; each value of a manifest and of the list is changed; sets are removed, renamed and exchanged',
    mustHold: '`verify` exits 1 and names the file, the set or the line',
  },
  async (row) => {
    await using scene = await openScene({
      records: row.isShort ? 12 : 60,
      settings: `reports: { formats: [${row.isShort ? 'csv, html' : 'csv, xlsx, html, json'}] }\npublish: { signingKeyFile: tieout-signing.key.pem, verifyKeys: [tieout-signing.pub.pem] }\n`,
    });
    const { place } = scene;
    expect((await place.process(['keys', 'generate', '--out', '.'])).code).toBe(0);
    for (const date of DATES) {
      const { code, err } = await place.process(['run', '--date', date]);
      expect(code, err).toBeOneOf([0, 1]);
    }
    const key = readPublicKey(place.read('tieout-signing.pub.pem'), 'the key of the scene');
    using copies = temporaryFolder();
    const tree = { out: place.path('out'), copies, keys: [key] };
    expect(await problemsIn(tree.out, { keys: [key], requireSigned: true })).toEqual([]);
    const random = seededRandom(row.seed);
    const every = [
      ...filesOf(tree.out, random, row.isShort ? 1 : 4),
      ...manifestValues(tree.out),
      ...listOf(tree.out),
      ...moves(),
    ];
    // Each change is verified over all three nights: in the short form, chance picks some of them.
    const all = row.isShort
      ? every.filter(({ name }) => /removed|exchanged|a byte|twice/.test(name) || random() < 0.03)
      : every;
    const missed: string[] = [];
    for (const tampering of all) if (!(await isNamed(tree, tampering))) missed.push(tampering.name);
    row.measured('changes', all.length);
    row.measured('changes not named', missed.length);
    expect(missed).toEqual([]);
    await forged(row, tree);
    // The same through the command, whose exit code is what cron and auditors see.
    const told = all.filter((_, n) => n % Math.ceil(all.length / (row.isShort ? 1 : 12)) === 0);
    for (const { name, change } of told) {
      copies.empty('told');
      const out = copyOf(tree, 'told');
      change(out);
      expect((await place.process(['verify', out])).code, name).toBe(1);
    }
    row.measured('changes checked by the command, exit 1', told.length);
  },
);

interface Tree {
  out: string;
  copies: TemporaryFolder;
  keys: NonNullable<VerifyOptions['keys']>;
}

function copyOf({ out, copies }: Tree, name: string): string {
  const copy = join(copies.path, name);
  cpSync(out, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Each problem with its path below the out folder. */
async function problemsIn(out: string, options: VerifyOptions): Promise<string[]> {
  const verified = await verifySets(out, options);
  return verified.flatMap(({ path, problems }) =>
    problems.map((problem) => `${path.slice(out.length + 1)}: ${problem}`),
  );
}

async function isNamed(tree: Tree, { name, place, change }: Tampering): Promise<boolean> {
  tree.copies.empty('one');
  const out = copyOf(tree, 'one');
  const before = fingerprint(out);
  change(out);
  expect(fingerprint(out), `${name} changes something`).not.toBe(before);
  return (await problemsIn(out, { keys: tree.keys })).some((problem) => problem.includes(place));
}

function fingerprint(out: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    hash.update(`${path}\0`);
    if (entry.isFile()) hash.update(readFileSync(path));
    if (entry.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest('hex');
}

/** Changes that apply to any file. */
function filesOf(out: string, random: () => number, flips: number): Tampering[] {
  return readdirSync(join(out, MIDDLE)).flatMap((file) => {
    const bytes = readFileSync(join(out, MIDDLE, file));
    // An unreadable manifest is reported as its whole set; any other file by name.
    const place = `${MIDDLE}: ${file}`;
    const to = (name: string, changed: Buffer | string): Tampering => ({
      name: `${file}: ${name}`,
      place,
      change: (copy) => writeFileSync(join(copy, MIDDLE, file), changed),
    });
    const flipped = Array.from({ length: flips }, () => {
      const at = Math.floor(random() * bytes.length);
      const bit = 1 << Math.floor(random() * 8);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ bit;
      return to(`bit ${bit} of byte ${at}`, changed);
    });
    const removed: Tampering = {
      name: `${file}: removed`,
      // Without its manifest a folder is no set any more: the list misses it.
      place: file === 'manifest.json' ? `${LIST}: ${MIDDLE} was published and is gone` : place,
      change: (copy) => rmSync(join(copy, MIDDLE, file)),
    };
    // A file without rows may be empty: there is nothing in it to change.
    const inside = bytes.length === 0 ? [] : [...flipped, to('a byte less', bytes.subarray(0, -1)), to('emptied', '')];
    return [
      ...inside,
      to('a byte more', Buffer.concat([bytes, Buffer.from('\n')])),
      removed,
      ...(/\.(?:csv|ndjson)$/.test(file) ? ofRows(bytes.toString('utf8'), to) : []),
    ];
  });
}

function ofRows(text: string, to: (name: string, changed: string) => Tampering): Tampering[] {
  const lines = text.split('\n');
  const [head = '', one, two] = lines;
  if (one === undefined || one === '') return [];
  const rest = lines.slice(3);
  const swapped =
    two === undefined || two === '' || two === one ? [] : [to('rows exchanged', [head, two, one, ...rest].join('\n'))];
  return [
    ...swapped,
    to('a row twice', [head, one, ...lines.slice(1)].join('\n')),
    to('a row removed', [head, ...lines.slice(2)].join('\n')),
  ];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The same JSON with one leaf after another made something else of its own type. */
function* variants(value: Json, path = ''): Generator<[path: string, changed: Json]> {
  if (Array.isArray(value)) {
    for (const [n, item] of value.entries())
      for (const [below, changed] of variants(item, `${path}[${n}]`)) yield [below, value.with(n, changed)];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      for (const [below, changed] of variants(item, `${path}.${key}`)) yield [below, { ...value, [key]: changed }];
  } else yield [path, other(value)];
}

function other(leaf: null | boolean | number | string): Json {
  if (typeof leaf === 'number') return leaf + 1;
  if (typeof leaf === 'boolean') return !leaf;
  if (leaf === null) return 'a'.repeat(64);
  // The last character that is a digit becomes another digit: hashes, amounts, dates and ids keep their form.
  const at = leaf.search(/\d\D*$/);
  return at < 0 ? `${leaf}x` : `${leaf.slice(0, at)}${leaf[at] === '1' ? '2' : '1'}${leaf.slice(at + 1)}`;
}

function manifestValues(out: string): Tampering[] {
  const manifest = JSON.parse(readFileSync(join(out, MIDDLE, 'manifest.json'), 'utf8')) as Json;
  return [...variants(manifest)].map(([path, changed]) => ({
    name: `manifest.json${path}`,
    place: `${MIDDLE}: manifest.json`,
    change: (copy) => writeFileSync(join(copy, MIDDLE, 'manifest.json'), `${JSON.stringify(changed, null, 2)}\n`),
  }));
}

function listOf(out: string): Tampering[] {
  const lines = readFileSync(join(out, LIST), 'utf8').trimEnd().split('\n');
  const to = (name: string, place: string, changed: readonly string[]): Tampering => ({
    name: `list: ${name}`,
    place,
    change: (copy) => writeFileSync(join(copy, LIST), changed.map((line) => `${line}\n`).join('')),
  });
  const edited = lines.flatMap((line, n) =>
    [...variants(JSON.parse(line) as Json)].map(([path, changed]) =>
      // A path that is no set's any more is gone; a hash that is not the manifest's is the manifest's to answer for.
      to(
        `line ${n + 1}${path}`,
        path === '.path' ? 'was published and is gone' : (SETS[n] ?? ''),
        lines.with(n, JSON.stringify(changed)),
      ),
    ),
  );
  const [one = '', two = '', three = ''] = lines;
  return [
    ...edited,
    to('lines 1 and 2 exchanged', `${LIST}: line 1`, [two, one, three]),
    to('lines 2 and 3 exchanged', `${LIST}: line 2`, [one, three, two]),
    to('line 1 removed', `${MIDDLE}: manifest.json`, [two, three]),
    to('line 2 removed', `${LAST}: manifest.json`, [one, three]),
    to('a line twice', LIST, [one, two, two, three]),
    { name: 'list: a byte less', place: LIST, change: (copy) => writeFileSync(join(copy, LIST), lines.join('\n')) },
    { name: 'list: emptied', place: `${LIST}: is empty`, change: (copy) => writeFileSync(join(copy, LIST), '') },
    { name: 'list: removed', place: `${LIST}: is missing`, change: (copy) => rmSync(join(copy, LIST)) },
  ];
}

function moves(): Tampering[] {
  const gone = (set: string) => `${LIST}: ${set} was published and is gone`;
  const removed = SETS.map((set) => ({
    name: `${set}: removed`,
    place: gone(set),
    change: (out: string) => rmSync(join(out, set), { recursive: true }),
  }));
  return [
    ...removed,
    {
      name: 'a set under another name',
      place: gone(MIDDLE),
      change: (out) => renameSync(join(out, MIDDLE), join(out, '2026-11-18/nightly-r2')),
    },
    {
      name: 'two sets exchanged',
      place: `${FIRST}: manifest.json`,
      change: (out) => {
        renameSync(join(out, FIRST), join(out, 'aside'));
        renameSync(join(out, MIDDLE), join(out, FIRST));
        renameSync(join(out, 'aside'), join(out, MIDDLE));
      },
    },
    {
      name: 'the newest set removed with its line, `latest` left',
      place: 'latest',
      change: (out) => withoutNewest(out),
    },
  ];
}

function withoutNewest(out: string): void {
  rmSync(join(out, LAST), { recursive: true });
  const lines = readFileSync(join(out, LIST), 'utf8').split('\n');
  writeFileSync(join(out, LIST), lines.toSpliced(2, 1).join('\n'));
}

/** Who knows all about manifests recomputes them; what they do not have is the key. */
async function forged(row: Row, tree: Tree): Promise<void> {
  const out = copyOf(tree, 'forged');
  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
  const records = join(out, LAST, 'records.csv');
  const published = readFileSync(records, 'utf8');
  const verdict = /,(matched|pending|break|unverified|quarantined),/.exec(published)?.[1] ?? '';
  const instead = verdict === 'matched' ? 'pending' : 'matched';
  const text = published.replace(`,${verdict},`, `,${instead},`);
  writeFileSync(records, text);
  const path = join(out, LAST, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const file = manifest.files.find(({ name }: { name: string }) => name === 'records.csv');
  Object.assign(file, { sha256: sha256(text), bytes: Buffer.byteLength(text) });
  manifest.verdicts[verdict]--;
  manifest.verdicts[instead]++;
  const relist = () => {
    const bytes = `${JSON.stringify(manifest, null, 2)}\n`;
    writeFileSync(path, bytes);
    const lines = readFileSync(join(out, LIST), 'utf8').trimEnd().split('\n');
    lines[2] = JSON.stringify({ ...JSON.parse(lines[2] ?? ''), sha256: sha256(bytes) });
    writeFileSync(join(out, LIST), `${lines.join('\n')}\n`);
  };
  relist();
  const { keys } = tree;
  const signed = `${LAST}: manifest.json.sig: does not fit the manifest`;
  // Where the row that was changed is counted in totals.csv, that does not foot any more either.
  expect(await problemsIn(out, { keys })).toContainEqual(expect.stringContaining(signed));
  // The signature taken away, together with the manifest's word of it: the sets before it are signed.
  delete manifest.signing_key;
  rmSync(join(out, LAST, 'manifest.json.sig'));
  relist();
  expect(await problemsIn(out, { keys })).toContainEqual(
    expect.stringContaining(`${LAST}: manifest.json.sig: is not there`),
  );
  row.measured('forgeries with recomputed hashes named by their signature', 2);
  // What a folder alone cannot show: its newest set never having been there.
  const shorter = copyOf(tree, 'shorter');
  withoutNewest(shorter);
  rmSync(join(shorter, 'latest'));
  symlinkSync(MIDDLE, join(shorter, 'latest'));
  const seen = await problemsIn(shorter, { keys });
  row.measured('newest set removed together with all references to it, named', seen.length);
}
