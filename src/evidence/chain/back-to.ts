/** Lists of transactions of addresses, the newest first, page by page. */
import type { Instant } from '../../domain/record.ts';
import type { FinderResult, Incoming } from '../../ports/witness.ts';
import { orReason, Unanswered } from './absence.ts';
import { MOST_NAMED } from './plausible.ts';

/** `counts`: it is final, and did not fail. */
export type Listed = Incoming & { counts: boolean };

export const timeOf = (seconds: number | null | undefined): Instant | null =>
  seconds === null || seconds === undefined ? null : seconds * 1000;

/** What a finder found, or why it could not look. */
export const foundBy = (work: Promise<{ incoming: readonly Incoming[]; upTo: Instant }>): Promise<FinderResult> =>
  orReason(
    work.then((found) => ({ ok: true, ...found })),
    (reason) => ({ ok: false, reason }),
  );

/** Of all addresses together: the token accounts of one owner are what an endpoint says. */
const MOST_PAGES_OF_ALL = 10_000;

/** What counts of all lists, back to an instant. @param page of an address, after a transaction: all that were before it */
export async function listedBackTo(
  from: Instant,
  addresses: readonly string[],
  mostPages: number,
  page: (address: string, after: string | undefined) => Promise<readonly Listed[]>,
): Promise<readonly Incoming[]> {
  const found: Incoming[] = [];
  let pages = 0;
  for (const address of addresses) {
    let last: Listed | undefined;
    for (let n = 0; ; n++) {
      if (n === mostPages) throw new Unanswered(`lists more than ${mostPages} pages for one address`);
      if (pages++ === MOST_PAGES_OF_ALL) throw new Unanswered(`lists more than ${MOST_PAGES_OF_ALL} pages`);
      const listed = await page(address, last?.txHash);
      for (const { counts, ...incoming } of listed) if (counts) found.push(incoming);
      // The tokens of one owner may be in a thousand accounts.
      if (found.length > MOST_NAMED) throw new Unanswered(`names more than ${MOST_NAMED} transfers`);
      last = listed.at(-1);
      if (last === undefined || (last.at ?? from) < from) break;
    }
  }
  return found;
}
