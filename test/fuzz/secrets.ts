/** Whether a text has the token in it; written apart from the program, which must not check itself. */
import { TOKEN } from './inputs.ts';

export function hasSecret(text: string): boolean {
  return layers(text).some((each) => each.includes(TOKEN) || inBase64(each) || inHex(each));
}

function layers(text: string): readonly string[] {
  const found = [text];
  for (let depth = 0; depth < 4; depth++) {
    const last = found.at(-1) ?? '';
    const next = last
      .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\([/"\\])/g, '$1')
      .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    if (next === last) break;
    found.push(next);
  }
  return found;
}

const IN_HEX = [...TOKEN].map((each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('');

function inHex(text: string): boolean {
  return text.toLowerCase().includes(IN_HEX);
}

function inBase64(text: string): boolean {
  for (const [word] of text.matchAll(/[A-Za-z0-9+/_-]{20,}/g)) {
    for (let offset = 0; offset < 4; offset++) {
      if (Buffer.from(word.slice(offset), 'base64').toString('latin1').includes(TOKEN)) return true;
    }
  }
  return false;
}
