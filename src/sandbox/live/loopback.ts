/** Which addresses a sandbox calls: those of this machine. A developer's mistake must not knock at a stranger's door. */

export type Target = { ok: true; url: URL; path: string } | { ok: false; problem: string };

/** Reads a webhook address; its path and query are kept letter for letter where HTTP allows it. */
export function readTarget(text: string): Target {
  if (!URL.canParse(text)) return { ok: false, problem: 'it is no whole URL' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, problem: 'only http and https addresses are called' };
  }
  if (url.username !== '' || url.password !== '') {
    return { ok: false, problem: 'it must not hold a user name or password' };
  }
  if (!isLoopback(url.hostname)) {
    return { ok: false, problem: 'a sandbox calls only addresses of this machine (127.0.0.1, ::1, localhost)' };
  }
  return { ok: true, url, path: rawPath(text) ?? `${url.pathname}${url.search}` };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** A URL parser rewrites an apostrophe in a query; integrators get theirs back unchanged. Null where it cannot be sent. */
function rawPath(text: string): string | null {
  const found = /^https?:\/\/[^/?#\\]+([/?][^#]*)?/i.exec(text.trim());
  if (found === null) return null;
  const path = found[1] ?? '/';
  if (!/^[\x21-\x7e]*$/.test(path) || path.includes('\\')) return null;
  return path.startsWith('?') ? `/${path}` : path;
}
