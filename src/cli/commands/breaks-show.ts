/** `tieout breaks show`: one break, all that is known of it. */
import { showInstant } from '../../domain/record.ts';
import { breakAsJson, eventAsJson } from '../break-json.ts';
import { command, type Register } from '../context.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { shown } from '../output.ts';

export const register: Register = (program, context) => {
  command(program, 'breaks show', {
    summary: 'Show one break: what was expected and found, its history, its evidence',
    examples: ['tieout breaks show 3f9a1c', 'tieout breaks show 3f9a1c --json'],
  })
    .argument('<break>', 'its id, or at least the first six characters of it')
    .action((id: string, _flags: unknown, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        const found = await app.store.breaks.get(id);
        if (found === null)
          throw new UsageError(`there is no break ${id}; \`tieout breaks list\` shows the ones there are`);
        const events = await app.store.breaks.events(found.breakId);
        const { out } = session;
        if (out.json) {
          await out.value({ ...breakAsJson(found), events: events.map(eventAsJson) });
          return EXIT.clean;
        }
        await out.line(`${found.explanation}\n`);
        await out.pairs([
          ['break', found.breakId],
          ['rule', `${found.rule} (${found.severity})`],
          ['state', found.state],
          ['record', `${found.kind} ${found.recordId}`],
          ['host reference', found.hostReference],
          ['field', found.field],
          ['expected', found.expected],
          ['found', found.actual],
          ['difference', amount(found.difference, found.currency)],
          ['tolerance', amount(found.tolerance, found.currency)],
          ['first seen', found.firstSeenDate],
          ['last seen', found.lastSeenDate],
          ['reopened', found.timesReopened === 0 ? null : `${found.timesReopened} times`],
          ['assignee', found.assignee],
          ['waived', found.waiver === null ? null : `by ${found.waiver.author}: ${found.waiver.reason}`],
          ['waived until', found.waiver?.until ?? null],
          ['evidence', found.evidenceSha256],
        ]);
        await out.line();
        await out.table(
          [
            { title: 'when', cell: (event) => showInstant(event.at) },
            { title: 'event', cell: (event) => event.type },
            { title: 'who', cell: (event) => event.who },
            { title: 'run', cell: (event) => shown(event.runId) },
            { title: 'reason', cell: (event) => shown(event.reason), wide: true },
          ],
          events,
        );
        return EXIT.clean;
      }),
    );
};

function amount(value: { toString(): string } | null, currency: string | null): string | null {
  return value === null ? null : `${value.toString()}${currency === null ? '' : ` ${currency}`}`;
}
