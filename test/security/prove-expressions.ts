/** Proves the regular expressions of the program, and keeps those that take linear time: `node test/security/prove-expressions.ts`. */
import { writeFileSync } from 'node:fs';
import { PROVED, programExpressions, provedExpressions, unproved } from './expressions.ts';

const all = programExpressions();
const known = provedExpressions();
const slow = await unproved(all.filter(({ text }) => !known.has(text)));
if (slow.length === 0)
  writeFileSync(
    PROVED,
    all
      .map(({ text }) => `${text}\n`)
      .sort()
      .join(''),
  );
else throw new Error(`not proved to take linear time:\n${slow.join('\n')}`);
