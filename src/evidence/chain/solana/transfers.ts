/** What a Solana transaction moved, by the balances before and after it: programs move value in more ways than can be listed. */
import { z } from 'zod';
import type { Transfer } from '../../../domain/delivery.ts';

export const slot = z.int().nonnegative();
export const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
const key = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
/** Beyond 2^53 it comes as text (src/evidence/chain/endpoint.ts). */
const units = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)]).transform((value) => BigInt(value));

const tokenBalance = z.object({
  accountIndex: z.int().nonnegative(),
  mint: key,
  /** Absent in answers of old nodes: the token account is then the only address that is known. */
  owner: key.nullish(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
});
const tokenBalances = z.array(tokenBalance).max(512).nullish();

export const transaction = z.object({
  slot,
  blockTime: z.int().nullish(),
  transaction: z.object({
    signatures: z.array(signature).min(1).max(32),
    // Strings with the encoding `json`, objects with `jsonParsed`.
    message: z.object({
      accountKeys: z.array(z.union([key, z.object({ pubkey: key }).transform(({ pubkey }) => pubkey)])).max(256),
    }),
  }),
  meta: z.object({
    err: z.unknown(),
    fee: units,
    preBalances: z.array(units).max(256),
    postBalances: z.array(units).max(256),
    preTokenBalances: tokenBalances,
    postTokenBalances: tokenBalances,
    loadedAddresses: z.object({ writable: z.array(key).max(256), readonly: z.array(key).max(256) }).nullish(),
  }),
});
export type WireTransaction = z.infer<typeof transaction>;

/** Each gain of an account: in lamports, and in tokens for the owner and for the token account itself. Null where the lists do not fit. */
export function gainsOf({ transaction: { message }, meta }: WireTransaction): Transfer[] | null {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances, loadedAddresses, fee } = meta;
  const keys = [...message.accountKeys];
  const loaded = [...(loadedAddresses?.writable ?? []), ...(loadedAddresses?.readonly ?? [])];
  // With `jsonParsed` the loaded addresses are among the account keys already.
  if (keys.length + loaded.length === preBalances.length) keys.push(...loaded);
  if (keys.length !== preBalances.length || keys.length !== postBalances.length) return null;
  const found: Transfer[] = [];
  for (const [i, to] of keys.entries()) {
    // The first account pays the fee, which is no payment to or from it.
    const gain = (postBalances[i] ?? 0n) - (preBalances[i] ?? 0n) + (i === 0 ? fee : 0n);
    if (gain > 0n) found.push({ to, asset: null, units: gain });
  }
  const nameOf = ({ accountIndex, mint }: z.infer<typeof tokenBalance>) => `${accountIndex} ${mint}`;
  const isTwice = (names: readonly string[]) => new Set(names).size < names.length;
  if (isTwice(keys) || isTwice((postTokenBalances ?? []).map(nameOf))) return null;
  const before = new Map((preTokenBalances ?? []).map((each) => [nameOf(each), BigInt(each.uiTokenAmount.amount)]));
  for (const each of postTokenBalances ?? []) {
    const gain = BigInt(each.uiTokenAmount.amount) - (before.get(nameOf(each)) ?? 0n);
    const account = keys[each.accountIndex];
    if (account === undefined) return null;
    if (gain <= 0n) continue;
    found.push({ to: account, asset: each.mint, units: gain });
    if (each.owner !== null && each.owner !== undefined && each.owner !== account)
      found.push({ to: each.owner, asset: each.mint, units: gain });
  }
  return found;
}
