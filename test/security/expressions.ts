/** The regular expressions of the program, and which of them are proved to take linear time. */
import { readFileSync } from 'node:fs';
import { check } from 'recheck';
import { type SyntaxNode, sourceFiles } from './source-files.ts';

export interface Expression {
  /** As in the source: `/pattern/flags`. */
  text: string;
  pattern: string;
  flags: string;
  /** `file:line` of the last place with it. */
  where: string;
}

/**
 * Texts of expressions that were proved once, a line each: a proof takes up to ten seconds, and its result does not change. Written by
 * `node test/security/prove-expressions.ts`; `regular-expressions.long.test.ts` proves all of them again.
 */
export const PROVED = new URL('proved-expressions.txt', import.meta.url);

export const provedExpressions = (): ReadonlySet<string> => new Set(readFileSync(PROVED, 'utf8').trim().split('\n'));

function literalOf(node: SyntaxNode): { pattern: string; flags: string } | null {
  const { regex } = node;
  if (node.type !== 'Literal' || typeof regex !== 'object' || regex === null) return null;
  return regex as { pattern: string; flags: string };
}

export function programExpressions(): Expression[] {
  const found = new Map<string, Expression>();
  for (const file of sourceFiles()) {
    for (const node of file.nodes) {
      const literal = literalOf(node);
      if (literal === null) continue;
      const text = `/${literal.pattern}/${literal.flags}`;
      found.set(text, { ...literal, text, where: `${file.path}:${file.lineOf(node)}` });
    }
  }
  return [...found.values()];
}

/** Those that are not proved to take linear time, as `file:line status: /pattern/flags`. */
export async function unproved(expressions: readonly Expression[]): Promise<string[]> {
  const slow: string[] = [];
  for (const { text, where, pattern, flags } of expressions) {
    // 'unknown' proves nothing: such an expression is to be written in smaller parts.
    const { status } = await check(pattern, flags, { timeout: 60_000 });
    if (status !== 'safe') slow.push(`${where} ${status}: ${text}`);
  }
  return slow;
}
