/** Lays flags over environment over file over defaults, and keeps in mind where each value came from. */
import { isRawList, isRawMap, type Path, type RawMap, type RawValue, showPath } from './raw.ts';

/** `flag --out`, `env TIEOUT_OUT`, `file tieout.yaml:12`, `default`. */
export type Origin =
  | { from: 'default' }
  | { from: 'file'; name: string; line: number | undefined }
  | { from: 'env'; name: string }
  | { from: 'flag'; name: string };

export function showOrigin(origin: Origin): string {
  if (origin.from === 'default') return 'default';
  if (origin.from === 'file') return `file ${origin.name}${origin.line === undefined ? '' : `:${origin.line}`}`;
  return `${origin.from} ${origin.name}`;
}

interface Layer {
  values: RawMap;
  originOf: (path: Path) => Origin;
  /** Its maps are only the way to one value. */
  setsOne?: boolean;
}

/** All layers in one tree. Maps are merged name by name; a list or a single value replaces what lies below it. */
export class Layered {
  tree: RawMap = {};
  private readonly origins = new Map<string, Origin>();

  lay(layer: Layer): void {
    const laid = this.over(this.tree, layer.values, [], layer);
    if (isRawMap(laid)) this.tree = laid;
  }

  /** The origin of a value, or of the list or map that it came with. */
  originOf(path: Path): Origin {
    for (let length = path.length; length > 0; length--) {
      const origin = this.origins.get(showPath(path.slice(0, length)));
      if (origin !== undefined) return origin;
    }
    return { from: 'default' };
  }

  private over(below: RawValue | undefined, above: RawValue, path: Path, layer: Layer): RawValue {
    const collection = isRawMap(below) || isRawList(below);
    // A section whose lines are all commented out is null in YAML: nothing was set there.
    if (above === null && collection) return below;
    if (isRawMap(above) && (isRawMap(below) || below === undefined)) return this.merge(below ?? {}, above, path, layer);
    // A variable or a flag sets one name in a section: where the file has no section there, that is refused, not covered.
    if (isRawMap(above) && below != null && layer.setsOne === true) return below;
    if (collection) this.forget(path);
    this.origins.set(showPath(path), layer.originOf(path));
    return above;
  }

  private merge(below: RawMap, above: RawMap, path: Path, layer: Layer): RawMap {
    const merged = new Map<string, RawValue>(Object.entries(below));
    for (const [key, value] of Object.entries(above)) {
      merged.set(key, this.over(merged.get(key), value, [...path, key], layer));
    }
    return Object.fromEntries(merged);
  }

  /** What lay deeper is covered now. */
  private forget(path: Path): void {
    const covered = showPath(path);
    for (const known of this.origins.keys()) {
      if (known.startsWith(`${covered}.`) || known.startsWith(`${covered}[`)) this.origins.delete(known);
    }
  }
}
