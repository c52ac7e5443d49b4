/** A text with a lone `%` is not URL-encoded: it is left as it came. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
