/** `tieout breaks export`: the work list as CSV, to be edited in a spreadsheet and applied again. */
import { isOpen } from '../../domain/break.ts';
import { breakCells } from '../../publish/break-cells.ts';
import { defuse, profileOf } from '../../publish/profiles.ts';
import { command, type Register } from '../context.ts';

/** The first five are read back by `breaks apply`; the rest is for the person who decides. */
const EXPORT_COLUMNS = (
  'break_id state assignee reason until rule severity kind record_id host_reference field expected actual ' +
  'difference currency first_seen_date explanation money_at_stake record_currency'
).split(' ');

const PAGE = 500;

export const register: Register = (program) => {
  command(program, 'breaks export', {
    summary: 'Write the work list as CSV: edit state, assignee and reason, then `breaks apply` it',
    details:
      'Uses the profile of the settings (reports.profile). `breaks apply` also reads the file as a spreadsheet ' +
      'saves it, with semicolons and dates like 31.12.2026.',
    examples: ['tieout breaks export > work.csv', 'tieout breaks export --all > everything.csv'],
  })
    .option('--all', 'include waived and resolved breaks')
    .runs(async (session, flags) => {
      const { stringify } = await import('csv-stringify/sync');
      const app = await session.app();
      const profile = profileOf(app.settings.reports.profile);
      const csv = { delimiter: profile.delimiter, record_delimiter: profile.lineEnd, columns: EXPORT_COLUMNS };
      await session.out.write(`${profile.bom ? '\uFEFF' : ''}${stringify([], { ...csv, header: true })}`);
      for (let offset = 0; ; offset += PAGE) {
        const page = await app.store.breaks.list({ limit: PAGE, offset });
        const rows = page
          .filter((each) => flags.all || isOpen(each.state))
          .map((each) => ({
            ...breakCells(each, profile),
            // Not `visible`: `breaks apply` reads the name back.
            assignee: defuse(each.assignee ?? '', profile),
            until: each.waiver?.until,
          }));
        if (rows.length > 0) await session.out.write(stringify(rows, csv));
        if (page.length < PAGE || session.out.closed) return;
      }
    });
};
