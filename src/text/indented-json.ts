/** Indents without parsing numbers: parsing would round long ones, and `1.10` would become `1.1`. */
export function indentedJson(json: string): string {
  let depth = 0;
  let quoted = false;
  let text = '';
  for (let i = 0; i < json.length; i++) {
    const character = json[i] ?? '';
    if (quoted) {
      text += character;
      if (character === '\\') text += json[++i] ?? '';
      else if (character === '"') quoted = false;
    } else if (character === '"') {
      quoted = true;
      text += character;
    } else if (character === '{' || character === '[') {
      depth++;
      text += `${character}\n${'  '.repeat(depth)}`;
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      text = `${text.trimEnd()}\n${'  '.repeat(depth)}${character}`;
    } else if (character === ',') text += `,\n${'  '.repeat(depth)}`;
    else if (character === ':') text += ': ';
    else if (!/\s/.test(character)) text += character;
  }
  return text;
}
