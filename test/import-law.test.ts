import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Which rooms a room may import. The centre knows none of the edges; `contract.ts` files may be imported anywhere for
 * their types alone.
 */
const LAW: Readonly<Record<string, readonly string[]>> = {
  'src/domain': [],
  'src/rules': ['src/domain'],
  'src/reconcile': ['src/domain', 'src/rules'],
  'src/service': ['src/domain'],
  'src/store': ['src/domain'],
  'src/intake': ['src/domain', 'src/store', 'src/openapi'],
  'src/publish': ['src/domain'],
  'src/runner': ['src/domain', 'src/store'],
  'src/openapi': [],
  'src/queue': ['src/domain'],
  'src/sandbox': ['src/domain', 'src/service/wire', 'src/openapi'],
  jobs: ['src/domain'],
  reports: ['src/domain'],
  config: ['src/domain'],
};

/** The sandbox computes its answers by its own code, so that a shared mistake cannot hide. */
const NEVER: Readonly<Record<string, readonly string[]>> = {
  'src/sandbox': [
    'src/domain/decimal.ts',
    'src/domain/fee-parts.ts',
    'src/domain/fees.ts',
    'src/domain/tolerance.ts',
    'src/domain/status.ts',
  ],
};

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm;

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(IMPORT)].flatMap(([, type, target = '']) =>
    target.startsWith('.')
      ? [{ from: file, to: normalize(join(dirname(file), target)), typeOnly: type !== undefined }]
      : [],
  );
}

const roomOf = (file: string) => Object.keys(LAW).find((room) => file.startsWith(`${room}/`));

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const room = roomOf(from);
  if (room === undefined) return true;
  if (NEVER[room]?.includes(to)) return false;
  if (to.startsWith(`${room}/`)) return true;
  if (typeOnly && (to.endsWith('/contract.ts') || to.endsWith('.contract.ts') || to === 'src/runner/job.ts'))
    return true;
  return (LAW[room] ?? []).some((allowed) => to.startsWith(`${allowed}/`));
}

const FILES = globSync(['src/**/*.ts', 'jobs/*.ts', 'reports/*.ts', 'config/*.ts']);

it('every room imports only what it may', () => {
  const broken = FILES.flatMap(importsOf).filter((each) => !isAllowed(each));
  expect(broken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

it('sees the imports that it judges', () => {
  // A law whose reader finds nothing would hold for any code.
  const found = importsOf('src/reconcile/reconcile.ts').map(({ to }) => to);
  expect(found).toContain('src/rules/rule-set.ts');
  expect(isAllowed({ from: 'src/domain/decimal.ts', to: 'src/store/contract.ts', typeOnly: false })).toBe(false);
  expect(isAllowed({ from: 'src/reconcile/judge.ts', to: 'src/store/sqlite.ts', typeOnly: true })).toBe(false);
});

/** Clock, randomness and environment come in as arguments; only these places may read them. */
const MAY_READ = [
  /^config\//,
  /^src\/runner\/clock\.ts$/,
  /^src\/app\.ts$/,
  /^src\/cli\//,
  /^src\/runner\/holder\.ts$/,
];
const READS = /new Date\(\)|Date\.now\(\)|Math\.random\(\)|process\.env/;

it('nobody else reads the clock, randomness or the environment', () => {
  const reading = FILES.filter((file) => !MAY_READ.some((place) => place.test(file))).filter((file) =>
    READS.test(readFileSync(file, 'utf8')),
  );
  expect(reading).toEqual([]);
});
