/** `text` with each part from `open` to the end of `close` changed, in linear time, as no expression with a gap in it is. */
export function eachPart(text: string, open: string, close: string, change: (part: string) => string): string {
  const done: string[] = [];
  for (let at = 0; ; ) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start);
    if (end < 0) return done.join('') + text.slice(at);
    done.push(text.slice(at, start), change(text.slice(start, end + close.length)));
    at = end + close.length;
  }
}
