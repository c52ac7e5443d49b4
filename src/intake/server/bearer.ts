/** The bearer token of /events and /quotes. */
import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether an `Authorization` header carries the token. Both sides are hashed first, so that neither the time of the
 * comparison nor its outcome depends on a common beginning or on the length.
 */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
