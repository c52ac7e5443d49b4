/** `tieout config check`: every setting, its value and where it comes from. */

import { command, type Register } from '../context.ts';

export const register: Register = (program) => {
  command(program, 'config check', {
    summary: 'Check the settings and print each with its origin',
    details:
      'Masks secrets. Reports every problem at once, with the setting, its value and what is allowed. Exits with 2 ' +
      'on a problem.',
    examples: ['tieout config check', 'tieout config check --config staging.yaml --json'],
  }).runs(async (session) => {
    const loaded = await session.settings();
    const settings = loaded.describe();
    if (session.out.json) return session.out.value({ file: loaded.file, settings, notes: loaded.notes });
    await session.out.table(
      [
        { title: 'setting', cell: ({ path }) => path },
        { title: 'value', cell: ({ value }) => value ?? '', wide: true },
        { title: 'from', cell: ({ origin }) => origin },
      ],
      settings,
    );
    for (const note of loaded.notes) session.screen.write(`note: ${note}\n`);
  });
};
