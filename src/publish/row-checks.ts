/** Checks between the cells of any set: fees foot, and the verdicts add up to the population. */
import { Decimal } from '../domain/decimal.ts';
import { VERDICTS } from '../domain/finding.ts';
import { MANIFEST, type Manifest } from './manifest.ts';
import { profileOf } from './profiles.ts';
import { type RowLook, readNumber } from './read-back.ts';

const VARIANCE = 'applied_fee_variance';
const PARTS = ['base_fee_variance', 'network_fee_variance', 'adjustment_variance'];

export interface RowChecks {
  /** The check of a file's rows. @throws Error where a column that it needs is missing. */
  look(file: string, header: readonly string[]): RowLook;
  /** The first problem of a file, in words; null where there is none. */
  problemOf(file: string): string | null;
  /** The problems of the set as a whole, after all files were read. */
  problems(): string[];
}

export function createRowChecks(manifest: Manifest): RowChecks {
  const problems = new Map<string, string>();
  const verdicts = new Map<string, ReadonlyMap<string, number>>();
  return {
    look: (file, header) => {
      const table = file.replace(/\.(?:csv|ndjson)$/, '');
      if (table === 'fees') {
        return footing(header, file.endsWith('.csv') ? profileOf(manifest.profile).decimalPoint : '.', (problem) => {
          if (!problems.has(file)) problems.set(file, problem);
        });
      }
      if (table !== 'records') return () => {};
      const counts = new Map<string, number>();
      verdicts.set(file, counts);
      const at = placeOf(header, 'verdict');
      return (cells) => {
        const verdict = cells[at] ?? '';
        counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      };
    },
    problemOf: (file) => problems.get(file) ?? null,
    problems: () => [
      ...populationProblem(manifest),
      ...[...verdicts].flatMap(([file, counts]) => {
        const names = [...new Set<string>([...VERDICTS, ...counts.keys()])];
        const expected: Readonly<Record<string, number>> = manifest.verdicts;
        const wrong = names.find((verdict) => (counts.get(verdict) ?? 0) !== (expected[verdict] ?? 0));
        if (wrong === undefined) return [];
        return [
          `${file}: the verdict ${wrong || '(empty)'} is there ${counts.get(wrong) ?? 0} times, the manifest says ${expected[wrong] ?? 0}; restore the set from a backup`,
        ];
      }),
    ],
  };
}

/** Exact sums; an unknown part counts as zero, and a row without the variance is not checked. */
function footing(header: readonly string[], point: '.' | ',', tell: (problem: string) => void): RowLook {
  const whole = placeOf(header, VARIANCE);
  const parts = PARTS.map((name) => placeOf(header, name));
  const record = placeOf(header, 'record_id');
  return (cells, row) => {
    const applied = readNumber(cells[whole] ?? '', point);
    if (applied === null) return;
    const sum = parts.reduce(
      (total, at) => total.plus(readNumber(cells[at] ?? '', point) ?? Decimal.ZERO),
      Decimal.ZERO,
    );
    if (sum.equals(applied)) return;
    tell(
      `row ${row} (record ${cells[record]}): ${VARIANCE} is ${applied}, but base, network and adjustment variance add up to ${sum}`,
    );
  };
}

function populationProblem({ verdicts, population }: Manifest): string[] {
  const counted = VERDICTS.reduce((sum, verdict) => sum + verdicts[verdict], 0);
  return counted === population
    ? []
    : [
        `${MANIFEST}: the verdicts add up to ${counted}, the population is ${population}; restore the set from a backup`,
      ];
}

function placeOf(header: readonly string[], name: string): number {
  const place = header.indexOf(name);
  if (place === -1) throw new Error(`the header has no column ${name}`);
  return place;
}
