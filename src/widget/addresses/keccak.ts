/** Keccak-256 as Ethereum has it: the padding from before the SHA-3 standard, which Node's `sha3-256` does not know. */

const MASK = (1n << 64n) - 1n;
/** Bytes that one permutation takes in: 1600 bits less twice 256. */
const RATE = 136;
const ROUNDS = 24;

const rotate = (lane: bigint, bits: bigint) => ((lane << bits) | (lane >> (64n - bits))) & MASK;

/** Rotations and target lanes of the steps ρ and π, walked from lane 1 (FIPS 202, 3.2.2 and 3.2.3). */
const WALK: readonly { readonly lane: number; readonly bits: bigint }[] = walk();
const ROUND_CONSTANTS: readonly bigint[] = roundConstants();

function walk(): { lane: number; bits: bigint }[] {
  const steps: { lane: number; bits: bigint }[] = [];
  let [x, y] = [1, 0];
  for (let step = 0; step < 24; step++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    steps.push({ lane: x + 5 * y, bits: BigInt((((step + 1) * (step + 2)) / 2) % 64) });
  }
  return steps;
}

/** The bits of a linear feedback shift register, at the places 2^j − 1 (FIPS 202, 3.2.5). */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let j = 0n; j < 7n; j++) {
      if ((register & 1) === 1) constant |= 1n << ((1n << j) - 1n);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    return constant;
  });
}

function permute(state: bigint[]): void {
  const at = (lane: number) => state[lane] ?? 0n;
  for (const constant of ROUND_CONSTANTS) {
    const column = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
    for (let lane = 0; lane < 25; lane++) {
      const x = lane % 5;
      state[lane] = at(lane) ^ (column[(x + 4) % 5] ?? 0n) ^ rotate(column[(x + 1) % 5] ?? 0n, 1n);
    }
    let moving = at(1);
    for (const { lane, bits } of WALK) {
      const next = at(lane);
      state[lane] = rotate(moving, bits);
      moving = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const line = [0, 1, 2, 3, 4].map((x) => at(row + x));
      for (let x = 0; x < 5; x++) {
        state[row + x] = (line[x] ?? 0n) ^ (~(line[(x + 1) % 5] ?? 0n) & MASK & (line[(x + 2) % 5] ?? 0n));
      }
    }
    state[0] = at(0) ^ constant;
  }
}

/** 64 hexadecimal digits. */
export function keccak256(bytes: Uint8Array): string {
  const padded = Buffer.alloc((Math.floor(bytes.length / RATE) + 1) * RATE);
  padded.set(bytes);
  padded[bytes.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const state = Array<bigint>(25).fill(0n);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let lane = 0; lane < RATE / 8; lane++) {
      state[lane] = (state[lane] ?? 0n) ^ padded.readBigUInt64LE(block + lane * 8);
    }
    permute(state);
  }
  const digest = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane++) digest.writeBigUInt64LE(state[lane] ?? 0n, lane * 8);
  return digest.toString('hex');
}
