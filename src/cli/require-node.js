// Plain JavaScript on purpose: it must still parse, and explain itself, under a Node that is too old for the sources.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** True where this Node runs the TypeScript sources as they are. */
export const nodeIsNewEnough = major > 22 || (major === 22 && minor >= 18);

/** Path of the Node that the `node` package brought with `npm ci`, or undefined. */
export function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/** The message under a Node that is too old. */
export const tooOld = `tieout needs Node 22.18 or newer; this is Node ${process.versions.node}. Run \`npm ci\` in the checkout (it brings Node 24 for the project's own scripts) or install a newer Node.`;

if (process.argv[1]?.endsWith('require-node.js') && !nodeIsNewEnough) {
  console.error(tooOld);
  process.exit(2);
}
