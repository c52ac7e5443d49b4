// Plain JavaScript on purpose: it must parse, and print its message, under a Node that is too old for the sources.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The oldest Node that runs the sources and the build; `engines` of package.json is the one place that states it. */
const oldest = Number(
  /\d+/.exec(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).engines.node)?.[0],
);

export const nodeIsNewEnough = Number(process.versions.node.split('.')[0]) >= oldest;

/** Path of the Node that `npm ci` installed with the package `node`, or undefined. */
export function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/** The message under a Node that is too old. */
export const tooOld = `tieout needs Node ${oldest} or newer, and this is Node ${process.versions.node}: install a newer one, or run \`npm ci\` in the checkout, which brings it.`;

if (process.argv[1]?.endsWith('require-node.js') && !nodeIsNewEnough) {
  console.error(tooOld);
  process.exit(2);
}
