/**
 * Contracts of the local chains, as byte code. Each takes pairs of words (address, amount) as its whole input, so that one
 * transaction pays many receivers, as payouts are batched.
 */

/** Selector of the event: keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const byte = (value: number) => value.toString(16).padStart(2, '0');

/**
 * for (i = 0; i < calldatasize; i += 64) body(i). `body` finds i on the stack and leaves it there; jump targets are
 * counted in bytes from the beginning.
 */
function overPairs(body: string): string {
  // 0: PUSH1 0; 2: JUMPDEST; CALLDATASIZE; DUP2; LT; ISZERO; PUSH1 end; JUMPI; body; PUSH1 64; ADD; PUSH1 2; JUMP; end: JUMPDEST; STOP
  const head = 2 + 1 + 1 + 1 + 1 + 1 + 2 + 1;
  const end = head + body.length / 2 + 2 + 1 + 2 + 1;
  return `60005b3681101560${byte(end)}57${body}6040016002565b00`;
}

/** A token: emits Transfer(caller, address, amount) of each pair. */
export const TOKEN_CODE = `0x${overPairs(
  // MSTORE(0, calldata[i+32]); LOG3(0, 32, TRANSFER, caller, calldata[i])
  `80602001356000528035337f${TRANSFER}60206000a3`,
)}`;

/** A purse: sends the amount in coins to each address by an inner call. */
export const PURSE_CODE = `0x${overPairs(
  // CALL(gas, calldata[i], calldata[i+32], 0, 0, 0, 0); POP
  `6000600060006000846020013585355af150`,
)}`;

/** Reverts all effects: REVERT(0, 0). */
export const REVERT_CODE = '0x60006000fd';

/** The input of both: pairs of words. */
export function pairs(of: readonly { to: string; units: bigint }[]): string {
  return `0x${of.map(({ to, units }) => to.slice(2).padStart(64, '0') + units.toString(16).padStart(64, '0')).join('')}`;
}
