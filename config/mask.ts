/** What a setting looks like when it is shown: secrets never, the rest as written. */
import { isRawList, isRawMap, type Path, type RawMap, type RawValue, showRaw } from './raw.ts';

export const MASK = '********';

/** Settings that are a secret as a whole. They come from the environment only. */
const SECRETS: readonly string[] = ['service.hostApiKey', 'secretKey', 'webhooks.intakeToken', 'notify.smtpPassword'];

/** Addresses whose path is itself a credential (chat webhooks, heartbeat monitors): only the host is shown. */
const CAPABILITIES: readonly string[] = ['notify.heartbeatUrl', 'notify.webhookUrl'];

export function isSecretPath(path: Path): boolean {
  return SECRETS.includes(path.join('.'));
}

/** `postgres://app:********@host/db`; an address that cannot be read is hidden whole, for nobody knows where its password is. */
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
  return `${scheme}${shown}${rest.replace(/([?&](?:password|secret|hostApiKey|token|key)=)[^&#]*/gi, `$1${MASK}`)}`;
}

/** Only scheme and host: `https://hooks.example/********`. */
function maskCapability(url: string): string {
  const match = /^(https?:\/\/)(?:[^/?#]*@)?([^/?#@]+)([/?#].+)?$/i.exec(url);
  if (match === null) return MASK;
  return match[3] === undefined || match[3] === '/' ? url : `${match[1]}${match[2]}/${MASK}`;
}

/** A raw value at a path, ready to be shown. */
export function masked(path: Path, value: RawValue): RawValue {
  if (value === null) return null;
  if (isSecretPath(path)) return MASK;
  if (isRawList(value)) return value.map((item, index) => masked([...path, index], item));
  if (isRawMap(value)) {
    return Object.fromEntries(
      Object.entries(value as RawMap).map(([key, item]) => [key, masked([...path, key], item)]),
    );
  }
  if (CAPABILITIES.includes(path.join('.'))) return maskCapability(value as string);
  const text = value as string;
  // Under a name that speaks of a secret, whatever it is: also a misplaced or misspelt one.
  if (/secret|password|token|api_?key/i.test(String(path.at(-1) ?? ''))) return MASK;
  return text.includes('://') || String(path.at(-1)).toLowerCase().endsWith('url') ? maskUrl(text) : text;
}

/** The same as one line of text. */
export function showMasked(path: Path, value: RawValue): string {
  return showRaw(masked(path, value));
}
