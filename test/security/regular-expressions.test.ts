/**
 * Much of what these expressions read was sent by strangers. One that backtracks more than linearly stops the process:
 * 38 letters took 23 s with a nested quantifier.
 */
import { expect, it } from 'vitest';
import { programExpressions, provedExpressions, unproved } from './expressions.ts';
import { isNode, type SyntaxNode, sourceFiles } from './source-files.ts';

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
  'src/domain/addresses/chains.ts',
  'src/domain/addresses/forms.ts',
  'src/intake/spreadsheet-damage.ts',
  'src/store/sqlite/definitions.ts',
];

it('every regular expression of the program takes linear time', async () => {
  const found = programExpressions();
  expect(found.length).toBeGreaterThan(150);
  const proved = provedExpressions();
  expect(await unproved(found.filter(({ text }) => !proved.has(text)))).toEqual([]);
});

it('one that does not is found', async () => {
  const nested = { text: '/^(a+)+$/', pattern: '^(a+)+$', flags: '', where: 'here:1' };
  expect(provedExpressions()).not.toContain(nested.text);
  expect(await unproved([nested])).toEqual(['here:1 vulnerable: /^(a+)+$/']);
});

it('no expression is built of anything but constants', () => {
  const files = sourceFiles().filter(({ nodes }) => nodes.some(isBuilt));
  expect(files.map(({ path }) => path)).toEqual(BUILT_OF_CONSTANTS);
});
