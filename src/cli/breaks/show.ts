/** `tieout breaks show`: the whole story of one break. */

import { command, type Register } from '../context.ts';
import { storyAsJson } from './as-json.ts';
import { breakNamed } from './decide.ts';
import { storyText } from './story-text.ts';

export const register: Register = (program, context) => {
  command(program, 'breaks show', {
    summary: 'Show one break: what was expected and found, its history, its evidence',
    details:
      'Writes the arithmetic out line by line and works it out again from what the run stored, by the rules and settings of\n' +
      'that run. Where the settings have changed since, it tells what they would say. Sends nothing and changes nothing.',
    examples: ['tieout breaks show 3f9a1c', 'tieout breaks show 3f9a1c --json'],
  })
    .argument('<break>', 'its id, or at least the first six characters of it')
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
