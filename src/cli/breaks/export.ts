/** `tieout breaks export`: the work list as CSV, to be edited in a spreadsheet and applied again. */
import { stringify } from 'csv-stringify/sync';
import { isOpen } from '../../domain/break.ts';
import { EXIT } from '../../domain/errors.ts';
import { defuse, profileOf } from '../../publish/profiles.ts';
import { command, type Register } from '../context.ts';
import { shown } from '../output.ts';

/** The first five are read back by `breaks apply`; the rest is for the person who decides. */
export const EXPORT_COLUMNS = [
  'break_id',
  'state',
  'assignee',
  'reason',
  'until',
  'rule',
  'severity',
  'kind',
  'record_id',
  'host_reference',
  'field',
  'expected',
  'actual',
  'difference',
  'currency',
  'first_seen_date',
  'explanation',
] as const;

const PAGE = 500;

/** Text from outside must not run as a formula in a spreadsheet. */
const safe = (text: string) => defuse(text, profileOf('standard'));

export const register: Register = (program, context) => {
  command(program, 'breaks export', {
    summary: 'Write the work list as CSV: edit state, assignee and reason, then `breaks apply` it',
    examples: ['tieout breaks export > work.csv', 'tieout breaks export --all > everything.csv'],
  })
    .option('--all', 'waived and resolved breaks too')
    .action((flags: { all?: boolean }, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        await session.out.write(stringify([EXPORT_COLUMNS]));
        for (let offset = 0; ; offset += PAGE) {
          const page = await app.store.breaks.list({ limit: PAGE, offset });
          const rows = page
            .filter((each) => flags.all || isOpen(each.state))
            .map((each) => [
              each.breakId,
              each.state,
              safe(shown(each.assignee)),
              '',
              shown(each.waiver?.until ?? null),
              each.rule,
              each.severity,
              each.kind,
              each.recordId,
              safe(shown(each.hostReference)),
              each.field,
              safe(shown(each.expected)),
              safe(shown(each.actual)),
              shown(each.difference?.toString() ?? null),
              shown(each.currency),
              each.firstSeenDate,
              safe(each.explanation),
            ]);
          if (rows.length > 0) await session.out.write(stringify(rows));
          if (page.length < PAGE || session.out.closed) return EXIT.clean;
        }
      }),
    );
};
