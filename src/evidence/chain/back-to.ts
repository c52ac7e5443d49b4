/** Lists of transactions of addresses, the newest first, page by page. */
import type { Instant } from '../../domain/record.ts';
import type { Incoming } from '../../ports/witness.ts';
import type { Read } from './json-rpc.ts';
import { MOST_NAMED } from './plausible.ts';

/** `counts`: it is final, and did not fail. */
export type Listed = Incoming & { counts: boolean };

export const timeOf = (seconds: number | null | undefined): Instant | null =>
  seconds === null || seconds === undefined ? null : seconds * 1000;

/** What counts of all lists, back to an instant. */
export async function listedBackTo(
  from: Instant,
  addresses: readonly string[],
  mostPages: number,
  /** Of an address, after a transaction: all that were before it. */
  page: (address: string, after: string | undefined) => Promise<Read<readonly Listed[]>>,
): Promise<Read<readonly Incoming[]>> {
  const found: Incoming[] = [];
  for (const address of addresses) {
    let last: Listed | undefined;
    for (let n = 0; ; n++) {
      if (n === mostPages) return { ok: false, reason: `lists more than ${mostPages} pages for one address` };
      const listed = await page(address, last?.txHash);
      if (!listed.ok) return listed;
      for (const { counts, ...incoming } of listed.value) if (counts) found.push(incoming);
      // The tokens of one owner may be in a thousand accounts.
      if (found.length > MOST_NAMED) return { ok: false, reason: `names more than ${MOST_NAMED} transfers` };
      last = listed.value.at(-1);
      if (last === undefined || (last.at ?? from) < from) break;
    }
  }
  return { ok: true, value: found };
}
