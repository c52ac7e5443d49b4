/**
 * The payments that stand among those that were ever added. A line of a partner's CSV that comes with the id, day and currency of one
 * of an earlier import corrects that line; a transfer on a chain and the lines that name its transaction are one payment. Pure.
 */
import { sumOf } from '../domain/decimal.ts';
import { type AddedPayout, lineOf, type Payout } from '../domain/payout.ts';

export interface NetPayouts {
  /** In order of payment. */
  payouts: readonly Payout[];
  /** Ids under which nothing stands any more. */
  replaced: readonly string[];
  /** Of the partner's statements with a line for each transaction, which pay nothing. */
  lines: readonly Payout[];
}

/** @param added in the order in which they were added */
export function netPayouts(added: readonly AddedPayout[]): NetPayouts {
  const current = Map.groupBy(withoutCorrected(added), ({ source }) => source === 'lines');
  const lines = current.get(true) ?? [];
  const byTx = Map.groupBy(current.get(false) ?? [], ({ tx, payoutId }) => tx ?? payoutId);
  const payouts = [...byTx.values()]
    .flatMap(asOne)
    .sort((a, b) => a.paidAt - b.paidAt || (a.payoutId < b.payoutId ? -1 : 1));
  const standing = new Set([...payouts, ...lines].map(({ payoutId }) => payoutId));
  return { payouts, lines, replaced: added.flatMap(({ payoutId }) => (standing.has(payoutId) ? [] : [payoutId])) };
}

/**
 * A correction keeps the id of the line that it corrects, and has all parts of that line. Ids that one import has twice identify nothing, and
 * correct nothing; the day keeps apart the files of partners who number the lines of each.
 */
function withoutCorrected(added: readonly AddedPayout[]): readonly AddedPayout[] {
  const inParts = new Set(added.flatMap(({ statementId }) => partsOfLine(statementId)));
  /** Parts that were imported before ids said it end with the currency that they settle, or with `exchange`. */
  const nameOf = (id: string, { type, settles, currency }: Payout) => {
    const older = ` ${type === 'exchange' ? type : (settles?.currency ?? currency)}`;
    const name = id.endsWith(older) ? id.slice(0, -older.length) : id;
    return inParts.has(name) ? name : lineOf(id).line;
  };
  const byId = Map.groupBy(added, (each) => {
    const { source, statementId, payoutId, paidAt, currency, type, settles } = each;
    if (statementId === null || (source !== 'csv' && source !== 'lines')) return payoutId;
    // A record may have its share and a refund of it on one day, and both in several currencies.
    const ofRecord = source === 'lines' ? `${type} ${settles?.currency ?? currency}` : '';
    return `${source} ${paidAt} ${currency} ${nameOf(statementId, each)} ${ofRecord}`;
  });
  return [...byId.values()].flatMap((same) => {
    const [first = [], ...later] = Map.groupBy(same, ({ addedAt }) => addedAt).values();
    if (![first, ...later].every(isOneLine)) return same;
    return (later.at(-1) ?? first).map((each, i) => ({ ...each, payoutId: first[i]?.payoutId ?? each.payoutId }));
  });
}

function partsOfLine(statementId: string | null): readonly string[] {
  const { line, whole } = lineOf(statementId ?? '');
  return whole === null ? [] : [line];
}

function isOneLine(all: readonly Payout[]): boolean {
  const ids = new Set(all.map(({ statementId }) => statementId));
  return ids.size === all.length && new Set([...ids].map((id) => lineOf(id ?? '').whole)).size === 1;
}

const isTransfer = ({ source, tx }: Payout) => tx?.startsWith(`${source} `) === true;

/** The stored payments of one transaction. The chain proves the amount, the line names the month. */
function asOne(all: readonly Payout[]): readonly Payout[] {
  const transfers = all.filter(isTransfer);
  const lines = all.filter((each) => !isTransfer(each));
  const linesOf = (transfer: Payout) =>
    transfers.length === 1 ? lines : lines.filter(({ currency }) => currency === transfer.currency);
  const claimed = new Set(transfers.flatMap(linesOf));
  return [...transfers.flatMap((each) => proven(each, linesOf(each))), ...lines.filter((each) => !claimed.has(each))];
}

function proven(transfer: Payout, lines: readonly Payout[]): readonly Payout[] {
  const [line] = lines;
  if (line === undefined) return [transfer];
  if (lines.length > 1) {
    const isAll =
      lines.every(({ currency }) => currency === transfer.currency) &&
      sumOf(lines.map(({ amount }) => amount)).equals(transfer.amount);
    // Where their sum is not the paid amount, no chain says how it is shared out.
    return isAll ? lines.map((each) => ({ ...each, sha256: transfer.sha256 })) : [transfer];
  }
  const { payoutId, reference, period } = line;
  const withheld = line.currency === transfer.currency ? line.withheld : null;
  return [{ ...transfer, payoutId, reference, period, withheld, settles: line.settles ?? transfer.settles }];
}
