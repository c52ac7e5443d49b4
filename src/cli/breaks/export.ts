/** `tieout breaks export`: the work list as CSV, to be edited in a spreadsheet and applied again. */
import { stringify } from 'csv-stringify/sync';
import { isOpen } from '../../domain/break.ts';
import { EXIT } from '../../domain/errors.ts';
import { defuse, exported, pointed, profileOf } from '../../publish/profiles.ts';
import { command, type Register } from '../context.ts';
import { shown } from '../output.ts';

/** The first five are read back by `breaks apply`; the rest is for the person who decides. */
const EXPORT_COLUMNS = (
  'break_id state assignee reason until rule severity kind record_id host_reference field expected actual ' +
  'difference currency first_seen_date explanation money_at_stake record_currency'
).split(' ');

const PAGE = 500;

export const register: Register = (program, context) => {
  command(program, 'breaks export', {
    summary: 'Write the work list as CSV: edit state, assignee and reason, then `breaks apply` it',
    details:
      'In the profile of the settings (reports.profile). What a spreadsheet saves of it reads back: semicolons, 31.12.2026.',
    examples: ['tieout breaks export > work.csv', 'tieout breaks export --all > everything.csv'],
  })
    .option('--all', 'waived and resolved breaks too')
    .action((flags: { all?: boolean }, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        const profile = profileOf(app.settings.reports.profile);
        // Text from outside must not run as a formula in a spreadsheet.
        const safe = (text: string) => exported(text, profile);
        const csv = { delimiter: profile.delimiter, record_delimiter: profile.lineEnd };
        await session.out.write(`${profile.bom ? '\uFEFF' : ''}${stringify([EXPORT_COLUMNS], csv)}`);
        for (let offset = 0; ; offset += PAGE) {
          const page = await app.store.breaks.list({ limit: PAGE, offset });
          const rows = page
            .filter((each) => flags.all || isOpen(each.state))
            .map((each) => [
              each.breakId,
              each.state,
              defuse(shown(each.assignee), profile),
              '',
              shown(each.waiver?.until ?? null),
              each.rule,
              each.severity,
              each.kind,
              safe(each.recordId),
              safe(shown(each.hostReference)),
              each.field,
              safe(shown(each.expected)),
              safe(shown(each.actual)),
              pointed(shown(each.difference?.toString() ?? null), profile),
              shown(each.currency),
              each.firstSeenDate,
              safe(each.explanation),
              pointed(shown(each.moneyAtStake), profile),
              shown(each.recordCurrency),
            ]);
          if (rows.length > 0) await session.out.write(stringify(rows, csv));
          if (page.length < PAGE || session.out.closed) return EXIT.clean;
        }
      }),
    );
};
