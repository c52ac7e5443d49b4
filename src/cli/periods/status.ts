/** `tieout period status`: the state of a month, or the closed months and the next step. */

import { EXIT, type ExitCode } from '../../domain/errors.ts';
import { isoInstant } from '../../domain/record.ts';
import { command, type Register } from '../context.ts';
import type { Session } from '../session.ts';
import { openPeriods } from './edges.ts';
import { closedAsJson, printStatus, statusAsJson } from './report.ts';

export const register: Register = (program) => {
  command(program, 'period status', {
    summary: 'Show the state of a month, or list the months',
    details:
      'Before the close: counts of unverified, quarantined, deferred and pending records, open breaks and totals; ' +
      'the records that prevent a close without exceptions, by name; and the steps from the host share of all ' +
      'records to the booked one. After the close: names of closer and reviewer, whether the sealed sets still ' +
      'verify (exits with 1 if not), and the differences since.',
    examples: ['tieout period status', 'tieout period status 2026-10 --json'],
  })
    .argument('[month]', 'month, as 2026-10 (default: all months)')
    .runs((session, month) => (month === undefined ? listMonths(session) : showMonth(session, month)));
};

async function showMonth(session: Session, month: string): Promise<ExitCode> {
  const { app, edges, periodStatus } = await openPeriods(session, import('../../periods/status.ts'));
  const status = await periodStatus(edges, month);
  const { hostShareOf } = await import('../../app/host-share.ts');
  const hostShare = await hostShareOf(app, status);
  if (session.out.json) await session.out.value(statusAsJson(status, hostShare));
  else await printStatus(session.out, status, hostShare);
  return status.state !== 'open' && status.sets.some(({ problems }) => problems.length > 0) ? EXIT.breaks : EXIT.clean;
}

async function listMonths(session: Session): Promise<void> {
  const { edges, listMonths: monthsOf } = await openPeriods(session, import('../../periods/status.ts'));
  const months = await monthsOf(edges);
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
