/** `tieout breaks show`: the explanation of one break. */

import { command, type Register } from '../context.ts';
import { storyAsJson } from './as-json.ts';
import { breakNamed } from './decide.ts';
import { storyText } from './explanation-text.ts';

export const register: Register = (program, context) => {
  command(program, 'breaks show', {
    summary: 'Show one break: expected and found value, arithmetic, history, evidence',
    details:
      'Prints the arithmetic line by line and computes it again from the stored rows of the run, by the rules and ' +
      'settings of that run. If the settings have changed since, it also prints their result. Sends and changes ' +
      'nothing.',
    examples: ['tieout breaks show 3f9a1c', 'tieout breaks show 3f9a1c --json'],
  })
    .argument('<break>', 'its id, or at least its first six characters')
    .action((id: string, _flags: unknown, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        const found = await breakNamed(app, id);
        const { storyOf } = await import('../../app/explain.ts');
        const story = await storyOf(app, found);
        const { out } = session;
        if (out.json) await out.value(storyAsJson(story));
        else await out.line(storyText(story, (title) => out.paint('bold', title)));
      }),
    );
};
