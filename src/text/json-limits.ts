/**
 * How deep and how large a JSON text from outside may be. Checked in one pass over the text before anything reads it, as
 * reading, sorting and printing cost far more than the check.
 */

/** Bodies of the Service nest four levels. */
const DEEPEST = 64;
/** A webhook has about thirty values. */
const MOST_VALUES = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The deepest nesting of a JSON text, its lists and objects, and the values behind a comma. */
interface Extent {
  depth: number;
  lists: number;
  further: number;
}

/** Without recursion. @param isWithin where it says no, the rest is not read: a hostile text costs no more than its limits */
export function extentOf(text: string, isWithin: (sofar: Extent) => boolean): Extent {
  const extent = { depth: 0, lists: 0, further: 0 };
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      extent.lists++;
      if (++depth > extent.depth) extent.depth = depth;
      if (!isWithin(extent)) break;
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x2c) {
      extent.further++;
      if (!isWithin(extent)) break;
    }
  }
  return extent;
}

/** Whether the text stays within the limits; other errors are not checked. */
export function isWithinJsonLimits(text: string, mostValues = MOST_VALUES): boolean {
  const isWithin = ({ depth, lists, further }: Extent) => depth <= DEEPEST && lists + further <= mostValues;
  return isWithin(extentOf(text, isWithin));
}
