/** `npm run generate`: writes every text that is made from the code, and names those that changed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { goldenFolder, goldenNights, goldenSets } from '../e2e/support/golden-nights.ts';
import { goldenDocuments } from '../publish/support/golden-documents.ts';
import { goldenVariants } from '../publish/support/golden-variants.ts';
import { GENERATED, ROOT } from './generate.ts';

/** Returns whether the file has changed. */
function write(path: string, bytes: string | Buffer): boolean {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(bytes))) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return true;
}

async function goldenFiles(): Promise<Map<string, Buffer>> {
  const { world, second } = await goldenNights();
  try {
    const sets = await goldenSets(world, second);
    for (const [path, bytes] of await goldenVariants()) sets.set(join('publish', path), bytes);
    return sets;
  } finally {
    await world.close();
  }
}

const golden = await goldenFiles();
const changed = [...golden].map(([path, bytes]) => ({ path: join('test/golden', path), bytes }));
const texts = GENERATED.map(({ path, text }) => () => ({ path, bytes: text() }));
for (const make of [...changed.map((file) => () => file), ...texts]) {
  // Parts of one document are made and written one after the other, so that none undoes another.
  const { path, bytes } = make();
  if (write(join(ROOT, path), bytes)) console.log(path);
}
// Made from the sets that were just written.
for (const [document, bytes] of await goldenDocuments()) {
  const path = join('documents', document);
  golden.set(path, bytes);
  if (write(join(goldenFolder, path), bytes)) console.log(`test/golden/${path}`);
}
for (const path of readdirSync(goldenFolder, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(?:csv|ndjson|json|html|xml|rels|differs)$/.test(path) || golden.has(path)) continue;
  rmSync(join(goldenFolder, path));
  console.log(`test/golden/${path} (removed)`);
}
