/** `tieout period status`: how a month stands, or the closed months and what comes next. */

import { EXIT, type ExitCode } from '../../domain/errors.ts';
import { isoInstant } from '../../domain/record.ts';
import { command, type Register } from '../context.ts';
import type { Session } from '../session.ts';
import { closedAsJson, printStatus, statusAsJson } from './report.ts';

export const register: Register = (program, context) => {
  command(program, 'period status', {
    summary: 'Show how a month stands, or list the months',
    details:
      'Before the close: what is unverified, quarantined, deferred, never verified or pending, which breaks are open, and\n' +
      'the totals; the records that keep it from being clean, by name; and the host share from what all records state to\n' +
      'what is booked and expected. After it: who closed and reviewed it, whether its sealed sets still hold (exit 1 if not), and what\n' +
      'differs since.',
    examples: ['tieout period status', 'tieout period status 2026-10 --json'],
  })
    .argument('[month]', 'as 2026-10; without it, all months')
    .action((month: string | undefined, _flags: unknown, self) =>
      context.run(self, (session) => (month === undefined ? listMonths(session) : showMonth(session, month))),
    );
};

async function showMonth(session: Session, month: string): Promise<ExitCode> {
  const [{ periodStatus }, { periodEdges }] = await Promise.all([
    import('../../periods/status.ts'),
    import('../../app/periods.ts'),
  ]);
  const app = await session.app();
  const status = await periodStatus(periodEdges(app), month);
  const { hostShareOf } = await import('../../app/host-share.ts');
  const hostShare = await hostShareOf(app, status);
  if (session.out.json) await session.out.value(statusAsJson(status, hostShare));
  else await printStatus(session.out, status, hostShare);
  return status.state !== 'open' && status.sets.some(({ problems }) => problems.length > 0) ? EXIT.breaks : EXIT.clean;
}

async function listMonths(session: Session): Promise<void> {
  const [{ listMonths: monthsOf }, { periodEdges }] = await Promise.all([
    import('../../periods/status.ts'),
    import('../../app/periods.ts'),
  ]);
  const months = await monthsOf(periodEdges(await session.app()));
  const { out } = session;
  if (out.json) {
    const periods = months.map(({ period, state, closed }) =>
      closed === null ? { period, state } : closedAsJson(closed),
    );
    return out.value({ periods });
  }
  if (months.length === 0) await out.line('No records, so no months.');
  await out.table(
    [
      { title: 'month', cell: ({ period }) => period },
      { title: 'state', cell: ({ state }) => state },
      { title: 'closed by', cell: ({ closed }) => closed?.closedBy ?? '' },
      { title: 'closed at', cell: ({ closed }) => (closed === null ? '' : isoInstant(closed.closedAt)) },
      { title: 'reviewed by', cell: ({ closed }) => closed?.reviewedBy ?? '' },
      { title: 'accepted open', cell: ({ closed }) => closed?.acceptedOpen ?? '' },
    ],
    months,
  );
}
