/** The `Retry-After` header. None was ever seen from the Service; if one comes, it is obeyed. */

/**
 * Milliseconds to wait: from seconds, or from a date, which is compared with the answer's own `Date`: both were read
 * from the server's clock, ours may differ. Null where nothing can be understood.
 */
export function retryAfterMs(retryAfter: string | null, date: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number.parseInt(retryAfter, 10) * 1000;
  if (date === null) return null;
  const wait = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
