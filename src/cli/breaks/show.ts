/** `tieout breaks show|pack`: the explanation of one break, and its evidence for an outsider. */

import { command, type Register } from '../context.ts';
import { writePack } from '../write-file.ts';
import { storyAsJson } from './as-json.ts';
import { breakNamed } from './decide.ts';
import { storyText } from './explanation-text.ts';

export const register: Register = (program) => {
  command(program, 'breaks show', {
    summary: 'Show one break: expected and found value, arithmetic, history, evidence',
    details:
      'Prints the arithmetic line by line and computes it again from the stored rows of the run, by the rules and ' +
      'settings of that run. If the settings have changed since, it also prints their result. Sends and changes ' +
      'nothing.',
    examples: ['tieout breaks show 3f9a1c', 'tieout breaks show 3f9a1c --json'],
  })
    .argument('<break>', 'its id, or at least its first six characters')
    .runsOnApp(async (app, { out }, id) => {
      const found = await breakNamed(app, id);
      const { storyOf } = await import('../../app/explain.ts');
      const story = await storyOf(app, found);
      const words = storyText(story, (title) => out.paint('bold', title));
      await out.result(storyAsJson(story), words);
    });

  command(program, 'breaks pack', {
    summary: 'Write the evidence of a break for an outsider as a ZIP: body, quote, arithmetic, hashes, signature',
    details: 'README.txt in it says how to check it with sha256sum and openssl, without Tieout.',
    examples: ['tieout breaks pack 3f9a1c', 'tieout breaks pack 3f9a1c --file evidence.zip'],
  })
    .argument('<break>', 'its id, or at least its first six characters')
    .option('--file <path>', 'file to write (default: break-<id>.zip)')
    .runsOnApp(async (app, { out }, id, flags) => {
      const { packBreak } = await import('../../app/break-pack.ts');
      const found = await breakNamed(app, id);
      const file = flags.file ?? `break-${found.breakId.slice(0, 12)}.zip`;
      await writePack(out, file, await packBreak(app, found), { break_id: found.breakId });
    });
};
