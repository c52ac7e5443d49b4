/** Counts as people read them, in text and on pages; files and JSON have plain digits. Pure. */

/** `12,345` */
export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** `1 record`, `12,345 records` */
export function counted(n: number, singular: string, plural = `${singular}s`): string {
  return `${count(n)} ${n === 1 ? singular : plural}`;
}
