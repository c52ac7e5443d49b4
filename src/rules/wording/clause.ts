/** A sentence that came from elsewhere, made fit to stand inside one of ours: without its full stop. */
export function asClause(sentence: string): string {
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence;
}
