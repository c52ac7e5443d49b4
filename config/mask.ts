/** The settings as `config check` shows them: every value as written with its origin, secrets masked. */

import { percentDecoded } from '../src/text/percent-decoded.ts';
import { isSecretName, isSecretParameter } from '../src/text/secret-names.ts';
import { type Layered, showOrigin } from './layers.ts';
import { isRawList, isRawMap, type Path, type RawMap, type RawValue, showPath, showRaw } from './raw.ts';
import { settingsOf } from './setting.ts';
import { SCHEMA } from './settings.ts';

const MASK = '********';

const hidden = (how: 'secret' | 'path'): readonly string[] =>
  [...settingsOf(SCHEMA)].filter(({ hide }) => hide === how).map(({ path }) => path.join('.'));

const SECRETS = hidden('secret');
/** Only the host is shown: chat webhooks and heartbeat monitors carry their credential in the path. */
const CAPABILITIES = hidden('path');

/** The same for the endpoints of chains, which are in lists. */
const ENDPOINT = /^evidence\.chains\.\d+\.endpoints\.\d+\.url$/;

function isCapability(path: Path): boolean {
  const name = path.join('.');
  return CAPABILITIES.includes(name) || ENDPOINT.test(name);
}

export function isSecretPath(path: Path): boolean {
  return SECRETS.includes(path.join('.'));
}

/** `postgres://app:********@host/db`; an address that cannot be parsed is hidden whole, because its password cannot be located. */
export function maskUrl(url: string): string {
  if (/^sqlite:/i.test(url)) return url;
  const authority = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)(.*)$/is.exec(url);
  if (authority === null) return url.includes('@') || url.includes('=') ? MASK : url;
  const [, scheme = '', host = '', rest = ''] = authority;
  // A password may itself hold `/`, `?` or `#` unencoded: then an `@` follows later, and everything before it is suspect.
  const stray = rest.lastIndexOf('@');
  if (stray >= 0 && !host.includes('@')) return `${scheme}${MASK}@${rest.slice(stray + 1).replace(/[?#].*$/s, '')}`;
  const at = host.lastIndexOf('@');
  const user = at < 0 ? '' : (host.slice(0, at).split(':')[0] ?? '');
  const shown = at < 0 ? host : host.slice(0, at).includes(':') ? `${user}:${MASK}${host.slice(at)}` : host;
  return `${scheme}${shown}${maskQuery(rest)}`;
}

const PARAMETER = /([?&])([^=&?#]*)=([^&#]*)/g;

function maskQuery(rest: string): string {
  return rest.replace(PARAMETER, (whole, sign: string, name: string) =>
    isSecretParameter(name) ? `${sign}${name}=${MASK}` : whole,
  );
}

/** Only scheme and host: `https://hooks.example/********`. */
function maskCapability(url: string): string {
  const match = /^(https?:\/\/)(?:[^/?#]*@)?([^/?#@]+)([/?#].+)?$/i.exec(url);
  if (match === null) return MASK;
  return match[3] === undefined || match[3] === '/' ? url : `${match[1]}${match[2]}/${MASK}`;
}

/** Also `http:/user:password@host` and `http:user:password@host`, which are read as addresses too. */
const ADDRESS = /:\/\/|^[a-z][a-z0-9+.-]+:.*@/is;

/** A raw value at a path, ready to be shown. @param isRefused it may be any text, pasted in a wrong place */
function masked(path: Path, value: RawValue, isRefused: boolean): RawValue {
  if (value === null) return null;
  if (isSecretPath(path)) return MASK;
  // Pasted in the place of a public one.
  if (typeof value === 'string' && value.includes('PRIVATE KEY')) return MASK;
  if (isRawList(value)) return value.map((item, index) => masked([...path, index], item, isRefused));
  if (isRawMap(value)) {
    return Object.fromEntries(
      Object.entries(value as RawMap).map(([key, item]) => [key, masked([...path, key], item, isRefused)]),
    );
  }
  if (isCapability(path)) return maskCapability(value as string);
  const text = value as string;
  // Any name that mentions a secret, so that a misplaced or misspelt one is masked too; the path of a file with one is none.
  const name = String(path.at(-1) ?? '');
  if (!name.endsWith('File') && isSecretName(name)) return MASK;
  if (isRefused && isKeyLike(text.trim())) return MASK;
  // A query is no address: only a password in an address within it is hidden.
  if (name === 'query') return maskAddressesIn(text);
  return ADDRESS.test(text) || name.toLowerCase().endsWith('url') ? maskUrl(text) : text;
}

/** The same as one line of text. */
export function showMasked(path: Path, value: RawValue): string {
  return showRaw(masked(path, value, false));
}

/** A password or key pasted in a wrong place: one long word of letters and digits. A time, an address or a file has other signs. */
const isKeyLike = (text: string) =>
  text.length >= 16 &&
  /^[\w+/=~!$%^&*@#-]+$/.test(text) &&
  /[A-Za-z]/.test(text) &&
  /\d/.test(text) &&
  !QUANTITY.test(text) &&
  !isName(text);

/** `1500milliseconds` */
const QUANTITY = /^\d{1,9}[a-z]{1,12}$/i;

/** A name with a number in it, as of a method, a rule or a folder: `manual_bank_transfer2`. Made-up passwords change case within a word. */
const WORD = /^(?:[a-z]{0,15}\d{0,2}|[A-Z]{2,15}\d{0,2}|\d{1,4}[a-z]{0,2})$/;
const LONG_WORD = /^(?:[a-z]{6}|[A-Z]{6})/;

function isName(text: string): boolean {
  const words = text.split(/[-_/]/);
  return words.length > 1 && words.every((word) => WORD.test(word)) && words.some((word) => LONG_WORD.test(word));
}

/** The same of a value that is refused. @param isNearName whether what was meant is known */
export function showRefused(path: Path, value: RawValue, isNearName = false): string {
  return showRaw(masked(path, value, !isNearName));
}

export interface DescribedSetting {
  /** `service.guard`. */
  path: string;
  /** As written, in YAML's flow style, secrets masked; null where it is not set. */
  value: string | null;
  /** `flag --out`, `env TIEOUT_OUT`, `file tieout.yaml:12` or `default`. */
  origin: string;
  /** What it means; null for an entry of a list or map that the user names. */
  about: string | null;
}

export function describeSettings(layered: Layered): readonly DescribedSetting[] {
  const texts = new Map([...settingsOf(SCHEMA)].map((each) => [showPath(each.path), each.text]));
  return [...leaves(layered.tree, [])].map(({ path, value }) => ({
    path: showPath(path),
    value: value === null ? null : showMasked(path, value),
    origin: showOrigin(layered.originOf(path)),
    about: texts.get(showPath(path)) ?? null,
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
  // A masked address: its password, plain and percent-encoded, and the whole address where the path is the credential.
  const secrets = [text];
  if (URL.canParse(text)) {
    const { password, pathname, search, searchParams } = new URL(text);
    if (password !== '') secrets.push(password, percentDecoded(password));
    for (const [name, value] of searchParams)
      if (isSecretParameter(name)) secrets.push(value, encodeURIComponent(value));
    if (maskUrl(text) === text) secrets.push(`${pathname}${search}`);
  }
  return secrets;
}

/** Hides the password of each address within a text. Word by word: one expression over the whole would take quadratic time. */
function maskAddressesIn(text: string): string {
  return text
    .split(/(\s)/)
    .map((word) => {
      const scheme = word.indexOf('://');
      const at = word.indexOf('@', scheme + 3);
      const colon = word.indexOf(':', scheme + 3);
      const hasPassword = scheme > 0 && colon !== -1 && at > colon && !word.slice(scheme + 3, colon).includes('/');
      return hasPassword ? `${word.slice(0, colon + 1)}${MASK}${word.slice(at)}` : word;
    })
    .join('');
}
