/**
 * Ids that carry their record's index, scrambled, so that a look-up needs no table of a million ids. Purchases have the
 * three forms met in the field (15 lower-case characters, UUIDs, decimal strings), sales have UUIDs (spec §2.8).
 */
import type { SandboxKind } from './contract.ts';
import { Draws, mix } from './random.ts';

const ID_STREAM = 11;
const TOKEN_STREAM = 12;
const FORM_STREAM = 13;

/** Reversible scrambling of 32 bits: odd multiplications and shifts, each undone in the opposite order. */
const FIRST = 0x9e3779b1;
const SECOND = 0x85ebca6b;

/** The inverse of an odd number modulo 2^32, by Newton's iteration. */
function inverse(odd: number): number {
  let x = odd;
  for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x;
}

function scramble(index: number, key: number): number {
  let x = Math.imul(index ^ key, FIRST);
  x ^= x >>> 16;
  x = Math.imul(x, SECOND);
  return (x ^ (x >>> 16)) >>> 0;
}

function unscramble(value: number, key: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, inverse(SECOND));
  x ^= x >>> 16;
  return (Math.imul(x, inverse(FIRST)) ^ key) >>> 0;
}

export type RecordIds = ReturnType<typeof createRecordIds>;

export function createRecordIds(seed: number) {
  const key = mix(seed, 0x1d, ID_STREAM);
  return {
    /** @param kind what the record at `index` is. */
    id(index: number, kind: SandboxKind): string {
      const scrambled = scramble(index, key);
      const draws = new Draws(seed, index, ID_STREAM);
      switch (formOf(seed, index, kind)) {
        case 'short':
          return `s${scrambled.toString(36).padStart(7, '0')}${draws.base36(7)}`;
        case 'decimal':
          return String(scrambled);
        case 'uuid':
          return uuid(scrambled, draws.hex(24));
      }
    },
    /** The view token: 16 lower-case characters. */
    token: (index: number) => new Draws(seed, index, TOKEN_STREAM).base36(16),
    /** A second token of the same form that is not the record's own. */
    strangerToken: (index: number) => new Draws(seed ^ 0x5bd1e995, index, TOKEN_STREAM).base36(16),
    /** The index that an id of the sandbox would have; null where the text has no such form. Not yet a proof: compare `id`. */
    indexOf(id: string) {
      const scrambled = scrambledPart(id);
      return scrambled === null ? null : unscramble(scrambled, key);
    },
  };
}

function formOf(seed: number, index: number, kind: SandboxKind): 'short' | 'uuid' | 'decimal' {
  if (kind === 'sale') return 'uuid';
  const share = mix(seed, index, FORM_STREAM) % 100;
  return share < 80 ? 'short' : share < 92 ? 'uuid' : 'decimal';
}

function uuid(head: number, tail: string): string {
  const first = head.toString(16).padStart(8, '0');
  return `${first}-${tail.slice(0, 4)}-4${tail.slice(5, 8)}-a${tail.slice(9, 12)}-${tail.slice(12)}`;
}

const SHORT = /^s([0-9a-z]{7})[0-9a-z]{7}$/;
const UUID = /^([0-9a-f]{8})-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;
const DECIMAL = /^\d{1,10}$/;

function scrambledPart(id: string): number | null {
  const short = SHORT.exec(id)?.[1];
  const hex = UUID.exec(id)?.[1];
  const value =
    short !== undefined
      ? Number.parseInt(short, 36)
      : hex !== undefined
        ? Number.parseInt(hex, 16)
        : DECIMAL.test(id)
          ? Number(id)
          : null;
  return value === null || value > 0xffff_ffff ? null : value;
}
