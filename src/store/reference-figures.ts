/**
 * Figures of captured lists as differences to the stored content. Of a list that is captured each hour only prices, fees and limits move:
 * the assets are stored once, with the figures of that capture, and each later capture as one packed row for all lists. Exact: what comes
 * out is the text that went in. Pure.
 *
 * A list is a sequence of cells, each against the cell at its place in the content: `0` the same, `1` null, `2` another text, else a
 * number of so many places (`3 + 2 × places + sign`) and the difference of the digits.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export type Figure = string | null;

const SAME = 0;
const NULL = 1;
const TEXT = 2;
const NUMBER = 3;

interface Digits {
  unscaled: bigint;
  places: number;
}

const ZERO: Digits = { unscaled: 0n, places: 0 };

/** Null for a text that these digits would not give back. */
function digitsOf(text: Figure): Digits | null {
  if (text === null || !/^-?\d{1,60}(?:\.\d{1,60})?$/.test(text)) return null;
  const point = text.indexOf('.');
  const places = point < 0 ? 0 : text.length - point - 1;
  const digits = { unscaled: BigInt(text.replace('.', '')), places };
  return textOf(digits) === text ? digits : null;
}

function textOf({ unscaled, places }: Digits): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(places + 1, '0');
  const whole = digits.length - places;
  return places === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`;
}

/** The digits of a content's figure at so many places, cut off: near the new ones. */
function near({ unscaled, places }: Digits, wanted: number): bigint {
  return places <= wanted ? unscaled * 10n ** BigInt(wanted - places) : unscaled / 10n ** BigInt(places - wanted);
}

function pushNumber(bytes: number[], value: bigint | number): void {
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
}

/** Null where every figure is that of the content. */
export function packList(content: readonly Figure[], figures: readonly Figure[]): Uint8Array | null {
  if (figures.every((figure, i) => figure === content[i])) return null;
  const bytes: number[] = [];
  figures.forEach((figure, i) => {
    const was = content[i] ?? null;
    const digits = digitsOf(figure);
    if (figure === was) bytes.push(SAME);
    else if (figure === null) bytes.push(NULL);
    else if (digits === null) {
      const text = Buffer.from(figure);
      bytes.push(TEXT);
      pushNumber(bytes, text.length);
      bytes.push(...text);
    } else {
      const difference = digits.unscaled - near(digitsOf(was) ?? ZERO, digits.places);
      const isMinus = difference < 0n;
      pushNumber(bytes, NUMBER + 2 * digits.places + (isMinus ? 1 : 0));
      pushNumber(bytes, isMinus ? -difference : difference);
    }
  });
  return Uint8Array.from(bytes);
}

class Reader {
  at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new SyntaxError('figures in the database are damaged');
    return byte;
  }

  small(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  large(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  skip(): void {
    while (this.byte() >= 128);
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }
}

/**
 * The figures of a list at some places.
 * @param places ascending
 * @param content the figures of the content at the same places
 */
export function figuresAt(list: Uint8Array, places: readonly number[], content: readonly Figure[]): Figure[] {
  const reader = new Reader(list);
  const found: Figure[] = [];
  for (let place = 0; found.length < places.length; place++) {
    const was = content[found.length] ?? null;
    const isWanted = place === places[found.length];
    const kind = reader.small();
    if (kind === SAME || kind === NULL) {
      if (isWanted) found.push(kind === SAME ? was : null);
    } else if (kind === TEXT) {
      const text = reader.take(reader.small());
      if (isWanted) found.push(Buffer.from(text).toString());
    } else if (!isWanted) reader.skip();
    else {
      const digits = Math.floor((kind - NUMBER) / 2);
      const size = reader.large();
      const difference = (kind - NUMBER) % 2 === 1 ? -size : size;
      found.push(textOf({ unscaled: near(digitsOf(was) ?? ZERO, digits) + difference, places: digits }));
    }
  }
  return found;
}

/** The packed lists of one capture by the key of their content. */
export type PackedLists = ReadonlyMap<number, Uint8Array>;

/** Lists in other currencies repeat each other in EUR, which the window of the compression holds. */
export function packLists(lists: PackedLists): Uint8Array {
  const bytes: number[] = [];
  for (const [contentKey, list] of lists) {
    pushNumber(bytes, contentKey);
    pushNumber(bytes, list.length);
    for (const byte of list) bytes.push(byte);
  }
  return zstdCompressSync(Uint8Array.from(bytes), { params: { [constants.ZSTD_c_compressionLevel]: 15 } });
}

const MOST_BYTES = 64 * 1024 * 1024;

/** @throws SyntaxError where a damaged row holds something else. */
export function unpackLists(packed: Uint8Array): PackedLists {
  const reader = new Reader(zstdDecompressSync(packed, { maxOutputLength: MOST_BYTES }));
  const lists = new Map<number, Uint8Array>();
  while (!reader.isAtEnd) {
    const contentKey = reader.small();
    lists.set(contentKey, reader.take(reader.small()));
  }
  return lists;
}
