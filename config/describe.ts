/** What `config check` prints: every setting, its value as written, where it came from; never a secret. */
import { type Layered, showOrigin } from './layers.ts';
import { isSecretPath, maskUrl, showMasked } from './mask.ts';
import { isRawList, isRawMap, type Path, type RawMap, type RawValue, showPath } from './raw.ts';

export interface DescribedSetting {
  /** `service.guard`. */
  path: string;
  /** As written, in YAML's flow style, secrets masked; null where it is not set. */
  value: string | null;
  /** `flag --out`, `env TIEOUT_OUT`, `file tieout.yaml:12` or `default`. */
  origin: string;
}

export function describeSettings(layered: Layered): readonly DescribedSetting[] {
  return [...leaves(layered.tree, [])].map(({ path, value }) => ({
    path: showPath(path),
    value: value === null ? null : showMasked(path, value),
    origin: showOrigin(layered.originOf(path)),
  }));
}

/** Single values and empty maps; a list is one value, but a list of maps has a row for each. */
function* leaves(value: RawValue, path: Path): Generator<{ path: Path; value: RawValue }> {
  if (isRawMap(value) && Object.keys(value).length > 0) {
    for (const [key, item] of Object.entries(value as RawMap)) yield* leaves(item, [...path, key]);
  } else if (isRawList(value) && value.some(isRawMap)) {
    for (const [index, item] of value.entries()) yield { path: [...path, index], value: item };
  } else {
    yield { path, value };
  }
}

/** The secrets themselves: whole values, passwords in addresses, and paths that are credentials. */
export function secretValues(tree: RawMap): readonly string[] {
  const found = new Set<string>();
  const visit = (value: RawValue, path: Path): void => {
    if (isRawList(value)) {
      for (const [index, item] of value.entries()) visit(item, [...path, index]);
    } else if (isRawMap(value)) {
      for (const [key, item] of Object.entries(value as RawMap)) visit(item, [...path, key]);
    } else if (typeof value === 'string') {
      for (const secret of secretsIn(path, value)) found.add(secret);
    }
  };
  visit(tree, []);
  // Very short ones would blot out innocent text everywhere; they are cut where they stand in an address all the same.
  return [...found].filter((secret) => secret.length >= 4);
}

function secretsIn(path: Path, text: string): string[] {
  if (isSecretPath(path)) return [text];
  if (showMasked(path, text) === text) return [];
  // A masked address: its password, plain and as it is encoded, and the whole where the path is the credential.
  const secrets = [text];
  if (URL.canParse(text)) {
    const { password, pathname, search } = new URL(text);
    if (password !== '') secrets.push(password, decode(password));
    if (maskUrl(text) === text) secrets.push(`${pathname}${search}`);
  }
  return secrets;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
