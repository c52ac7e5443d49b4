import { check } from 'recheck';
import { expect, it } from 'vitest';
import { isNode, type SyntaxNode, sourceFiles } from './source-files.ts';

/**
 * Much of what these expressions read was sent by strangers. One that backtracks more than linearly stops the process:
 * 38 letters took 23 s with a nested quantifier.
 */
interface Found {
  where: string;
  pattern: string;
  flags: string;
}

function literalOf(node: SyntaxNode): { pattern: string; flags: string } | null {
  const { regex } = node;
  if (node.type !== 'Literal' || typeof regex !== 'object' || regex === null) return null;
  return regex as { pattern: string; flags: string };
}

function isBuilt(node: SyntaxNode): boolean {
  const { callee } = node;
  return (
    /^(New|Call)Expression$/.test(node.type) &&
    isNode(callee) &&
    callee.type === 'Identifier' &&
    callee.name === 'RegExp'
  );
}

/** Built of constants of their own files: one character class each. */
const BUILT_OF_CONSTANTS = [
  'src/intake/spreadsheet-damage.ts',
  'src/store/sqlite/rebuild.ts',
  'src/widget/addresses/chains.ts',
  'src/widget/addresses/forms.ts',
];

it('every regular expression of the program takes linear time', { timeout: 240_000 }, async () => {
  const found = new Map<string, Found>();
  for (const file of sourceFiles()) {
    for (const node of file.nodes) {
      const literal = literalOf(node);
      if (literal === null) continue;
      found.set(`/${literal.pattern}/${literal.flags}`, { ...literal, where: `${file.path}:${file.lineOf(node)}` });
    }
  }
  expect(found.size).toBeGreaterThan(150);
  const slow: string[] = [];
  for (const [text, { where, pattern, flags }] of found) {
    // 'unknown' proves nothing: such an expression is to be written in smaller parts.
    const { status } = await check(pattern, flags, { timeout: 60_000 });
    if (status !== 'safe') slow.push(`${where} ${status}: ${text}`);
  }
  expect(slow).toEqual([]);
});

it('no expression is built of anything but constants', () => {
  const files = sourceFiles().filter(({ nodes }) => nodes.some(isBuilt));
  expect(files.map(({ path }) => path)).toEqual(BUILT_OF_CONSTANTS);
});
