/** Body and quote of a break as files of a pack. */
import { createHash } from 'node:crypto';
import type { BreakStory } from '../explain/story.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { withoutSecrets } from '../worklist/quote-text.ts';
import type { App } from './app.ts';

export const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Bodies and quotes are named by hashes: an id from outside could climb out of the folder that it is unpacked into. */
export async function evidenceFiles(
  { store }: Pick<App, 'store'>,
  { evidenceSha256 }: CurrentBreak,
  { judgedIn }: Pick<BreakStory, 'judgedIn'>,
): Promise<{ files: ReadonlyMap<string, Buffer>; quoteId: string | null }> {
  const files = new Map<string, Buffer>();
  const body = evidenceSha256 === null ? null : await store.items.evidence(evidenceSha256);
  if (evidenceSha256 !== null && body !== null)
    files.set(`bodies/${evidenceSha256.slice(0, 32)}.json`, Buffer.from(body));
  const quoteId = judgedIn?.quote?.quote.quoteId ?? null;
  const quote = quoteId === null ? null : await store.quotes.get(quoteId);
  if (quoteId !== null && quote !== null) {
    const { request, response } = quote;
    const text = withoutSecrets(`{"request":${request},"response":${response}}\n`);
    files.set(`quotes/${hashOf(quoteId).slice(0, 32)}.json`, Buffer.from(text));
  }
  return { files, quoteId };
}
