/** Which records are defective: spread evenly over the population, the kinds of defect in turn. */
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { Defect } from './defects/defect.ts';
import { DEFECTS } from './defects/index.ts';
import { mix } from './random.ts';

const STREAM = 31;

export interface Allocation {
  /** The defect of the record at this index, or null for a clean one. */
  defectOf(index: number): Defect | null;
  /** Indices of the defective records, ascending. */
  indices(): Iterable<number>;
}

/** Thrown when `defectKinds` names what is neither a defect nor a break code with one. */
export class UnknownDefectError extends TieoutError {
  override readonly name = 'UnknownDefectError';
  override readonly exitCode = EXIT.usage;
  constructor(kind: string) {
    super(`no defect is called ${kind}; there are ${DEFECTS.map(({ name }) => name).join(', ')}, or use a break code`);
  }
}

/**
 * @param rate share of the records, 0 to 1.
 * @param kinds names of defects or break codes; undefined for all.
 * @throws UnknownDefectError
 */
export function allocate(
  seed: number,
  records: number,
  rate: number,
  kinds: readonly string[] | undefined,
): Allocation {
  const chosen = chosenDefects(kinds);
  const count = Math.min(records, Math.round(records * rate));
  const places = new Map<number, Defect>();
  for (let k = 0; k < count; k++) {
    const defect = chosen[k % chosen.length];
    if (defect === undefined) continue;
    // One place in each of `count` stretches without a common index: no two fall together, and none bunch up.
    const start = Math.floor((k * records) / count);
    const end = Math.floor(((k + 1) * records) / count);
    const within = mix(seed, k, STREAM) / 0x1_0000_0000;
    places.set(start + Math.floor(within * (end - start)), defect);
  }
  return { defectOf: (index) => places.get(index) ?? null, indices: () => places.keys() };
}

function chosenDefects(kinds: readonly string[] | undefined): readonly Defect[] {
  if (kinds === undefined) return DEFECTS;
  for (const kind of kinds) {
    if (!DEFECTS.some((defect) => isNamed(defect, kind))) throw new UnknownDefectError(kind);
  }
  return DEFECTS.filter((defect) => kinds.some((kind) => isNamed(defect, kind)));
}

function isNamed(defect: Defect, kind: string): boolean {
  return defect.name === kind || defect.codes.includes(kind);
}
