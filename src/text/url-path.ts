/** A path without the slashes at its end, for another part to be appended. Not a regular expression, whose time would be quadratic. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
