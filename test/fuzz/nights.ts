/** Whole nights over fuzzed records and quotes, by the real command line: none may be stopped, and none may print a secret. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openWorkspace } from '../e2e/support/workspace.ts';
import { startRecordServer } from '../support/record-server.ts';
import { LONGEST_SEARCH_MS } from './in-process.ts';
import { purchaseBody, quoteLine, TOKEN } from './inputs.ts';
import { hasSecret } from './secrets.ts';

const DATE = '2026-11-02';
const COUNT = 120;

const night = fc.record({
  bodies: fc.tuple(...Array.from({ length: COUNT }, (_, n) => purchaseBody(`fuzz${n}`))),
  quotes: fc.array(quoteLine, { minLength: 20, maxLength: 60 }),
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Throws where the night was stopped, or where a secret is in what it printed or published. */
async function live({ bodies, quotes }: { bodies: readonly string[]; quotes: readonly string[] }): Promise<void> {
  const server = await startRecordServer(Object.fromEntries(bodies.map((body, n) => [`fuzz${n}`, { body }])));
  // Enough whole answers that the run does not take the Service for another system.
  const place = openWorkspace(server.url, { settings: 'reports: { formats: [csv, xlsx, html] }\n' });
  try {
    const ids = bodies.map((_, n) => JSON.stringify({ kind: 'purchase', id: `fuzz${n}`, view_token: TOKEN }));
    const said = [
      await place.tieout(['import', '-', '-q'], { stdin: ids.join('\n') }),
      await place.tieout(['quotes', 'import', '-'], { stdin: quotes.join('\n') }),
    ];
    const run = await place.tieout(['run', '--date', DATE]);
    if (![0, 1, 3].includes(run.code ?? -1))
      throw new Error(`the night ended with ${run.code}: ${run.err.slice(-2000)}`);
    const again = await place.tieout(['verify', 'out']);
    if (again.code !== 0) throw new Error(`the set does not hold: ${again.out.slice(-2000)}`);
    for (const { out, err } of [...said, run, again]) {
      if (hasSecret(out) || hasSecret(err)) throw new Error('the token was printed');
    }
    for (const file of filesIn(place.path('out'))) {
      if (/\.(csv|html|json|ndjson)$/.test(file) && hasSecret(readFileSync(file, 'utf8'))) {
        throw new Error(`the token is in ${file}`);
      }
    }
  } finally {
    place.remove();
    await server.close();
  }
}

/** One night; throws with the seed and the smallest night that is stopped. */
export async function fuzzNight(seed: number): Promise<number> {
  await fc.assert(fc.asyncProperty(night, live), {
    seed,
    numRuns: 1,
    interruptAfterTimeLimit: LONGEST_SEARCH_MS,
    endOnFailure: false,
  });
  return COUNT;
}
