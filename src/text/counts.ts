/** Counts as people read them, in text and on pages; files and JSON have plain digits. Pure. */

/** `12,345` */
export function count(n: number): string {
  return inThousands(String(n));
}

/** `1 record`, `12,345 records` */
export function counted(n: number, singular: string, plural = `${singular}s`): string {
  return `${count(n)} ${n === 1 ? singular : plural}`;
}

/** Groups of three digits from the right, in one pass: a number from outside may be long. Not by `Intl`, as pages are compared to the byte. */
export function inThousands(digits: string): string {
  const first = digits.length % 3 || 3;
  const rest = digits.slice(first).replace(/\d{3}/g, ',$&');
  return digits.slice(0, first) + rest;
}
