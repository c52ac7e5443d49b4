/**
 * Reads captured quotes from NDJSON, one per line. The caller gives the parser of a line, which belongs to the Service
 * room.
 */
import type { QuoteAnswer } from '../ports/service.ts';
import type { IntakeItem, QuoteReading } from './contract.ts';
import { cutWords } from './cut.ts';
import { physicalLines } from './lines.ts';

/** Request and response may be large; this is the cap on bodies of the Service, and room for the rest. */
const MAX_LINE = 4 * 1024 * 1024;

/** @throws UnreadableFileError where the file as a whole is not text. */
export async function* readQuotes(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  parse: (text: string) => QuoteReading,
): AsyncGenerator<IntakeItem<QuoteAnswer>> {
  let lines = 0;
  for await (const page of physicalLines(chunks, name, MAX_LINE)) {
    for (const { number: line, text, problem } of page) {
      if (problem === null && text.trim() === '') continue;
      lines++;
      const parsed: QuoteReading = problem === null ? parse(text) : { ok: false, problems: [problem] };
      if (parsed.ok) {
        const { quote, request, response } = parsed;
        yield { type: 'good', line, value: { quote, request, response } };
      } else {
        const named = parsed.quoteId === undefined ? '' : `quote ${parsed.quoteId}: `;
        // A captured request may have been stored with its key in it, so long words are cut here too.
        yield { type: 'rejected', line, reason: `${named}${parsed.problems.join('; ')}`, raw: cutWords(text) };
      }
    }
  }
  if (lines === 0) yield { type: 'note', text: 'the file is empty' };
}
