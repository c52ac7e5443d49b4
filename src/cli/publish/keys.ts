/** `tieout keys generate`: a pair of keys to sign published sets with. */

import { command, type Register } from '../context.ts';
import { snakeCase } from '../output.ts';
import { writing } from '../write-file.ts';

export const register: Register = (program) => {
  command(program, 'keys generate', {
    summary: 'Make an Ed25519 key pair to sign published sets with',
    details:
      'Writes the private key (0600) and the public one, and prints the public one. Never overwrites. Then set\n' +
      'publish.signingKeyFile where sets are published, and publish.verifyKeys where they are verified.',
    examples: ['tieout keys generate --out keys', 'TIEOUT_SIGNING_KEY_FILE=keys/tieout-signing.key.pem tieout run'],
  }).runs(async ({ out, flags }) => {
    const { generateKeys, writeKeys } = await import('../../publish/keys.ts');
    // The common --out, here the folder of the keys.
    const folder = flags.out ?? '.';
    const pair = generateKeys();
    const { privatePath, publicPath } = await writing(folder, () => writeKeys(folder, pair));
    const { keyId, publicPem } = pair;
    const files = { privateKeyFile: privatePath, publicKeyFile: publicPath };
    await out.result(snakeCase({ keyId, ...files, publicKey: publicPem }), [
      ['key id', keyId],
      ['private key', `${privatePath} (0600; back it up, and keep it to the machine that publishes)`],
      ['public key', publicPath],
    ]);
    if (!out.json) await out.write(publicPem);
  });
};
