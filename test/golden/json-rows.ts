/** JSON with a row a line: a column of a table, a file of a set, a log of a transaction. */
const [WIDE, NARROW] = [400, 120];

/** A file that the product printed. @throws Error for one that the rows would not say to the byte. */
export function rowsOfPrinted(text: string): string {
  const value: unknown = JSON.parse(text);
  if (`${JSON.stringify(value, null, 2)}\n` !== text) throw new Error('not JSON as the product prints it');
  return `${rows(value)}\n`;
}

/** What fits is one line; of what does not, plain values share lines. */
export function rows(value: unknown, indent = ''): string {
  const whole = JSON.stringify(value);
  if (isPlain(value) || indent.length + whole.length <= WIDE) return whole;
  const [deeper, isList] = [`${indent} `, Array.isArray(value)];
  const lines: { text: string; isPlain: boolean }[] = [];
  for (const [name, each] of Object.entries(value as object)) {
    const isRow = isList && Object.values(each ?? {}).every((part) => [part].flat().every(isPlain));
    const text = `${isList ? '' : `${JSON.stringify(name)}: `}${isRow ? JSON.stringify(each) : rows(each, deeper)}`;
    const last = lines.at(-1);
    if (last?.isPlain && isPlain(each) && last.text.length + text.length <= NARROW) last.text += `, ${text}`;
    else lines.push({ text, isPlain: isPlain(each) });
  }
  const inside = lines.map(({ text }) => `\n${deeper}${text}`).join(',');
  return isList ? `[${inside}\n${indent}]` : `{${inside}\n${indent}}`;
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null;
