/** Randomness that is a pure function of a seed: the same record is drawn the same way however often it is asked for. */

/** Mixes three numbers into 32 well-spread bits. */
export function mix(a: number, b: number, c: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13) ^ b, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16) ^ c, 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 32 bits of a text: phases and keys that must not depend on the order of a table. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h, text.length, 0);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A stream of draws (generator sfc32). One per record and purpose, so that adding a draw here changes nothing there. */
export class Draws {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, index: number, stream: number) {
    this.#a = mix(seed, index, stream);
    this.#b = mix(index, stream, seed);
    this.#c = mix(stream, seed, index);
    for (let i = 0; i < 4; i++) this.bits();
  }

  /** 32 random bits as an unsigned number. */
  bits(): number {
    const t = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return t >>> 0;
  }

  /** At least 0, below 1. */
  unit(): number {
    return this.bits() / 0x1_0000_0000;
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  /** A whole number, at least 0 and below `limit`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** @throws RangeError for an empty list: a table has lost its rows. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Picks by weight; weights need not add up to anything. */
  weighted<T>(items: readonly T[], weightOf: (item: T) => number): T {
    let rest = this.unit() * items.reduce((sum, item) => sum + weightOf(item), 0);
    for (const item of items) {
      rest -= weightOf(item);
      if (rest < 0) return item;
    }
    return this.pick(items);
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.bits().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }

  base58(length: number): string {
    return this.#text(BASE58, length);
  }

  base32(length: number): string {
    return this.#text(BASE32, length);
  }

  base36(length: number): string {
    return this.#text(BASE36, length);
  }

  #text(alphabet: string, length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += alphabet.charAt(this.below(alphabet.length));
    return text;
  }
}
