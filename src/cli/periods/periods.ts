/** `tieout period status|close|review|delta|pack`: the state of a month, its sealing, its review by a second person, later differences. */

import { join } from 'node:path';
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import { isoInstant } from '../../domain/record.ts';
import type { PublishedPeriod } from '../../periods/close.ts';
import { periodRange } from '../../periods/month.ts';
import { count, counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { statedActor } from '../person.ts';
import type { Session } from '../session.ts';
import { makeOutFolder } from '../write-file.ts';
import { closedAsJson, figuresAsJson, printStatus, statusAsJson } from './report.ts';

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

  command(program, 'period close', {
    summary: 'Seal a month: its reports, its figures and later findings of earlier months',
    details:
      'Writes `periods/2026-10` in the out folder, which never changes again; its hash is kept in the database. ' +
      'Refuses a month that is not over, is closed already or is not the next one (exit 2), and, unless ' +
      '--accept-open gives a reason, one with unverified, quarantined or pending records (exit 3) or with open ' +
      'breaks (exit 1).',
    examples: [
      'tieout period close 2026-10 --by "Ann Lee"',
      'tieout period close 2026-10 --by "Ann Lee" --accept-open "3 refunds under way, ticket 4711"',
    ],
  })
    .argument('<month>', 'month, as 2026-10')
    .requiredOption('--by <name>', 'name to record')
    .option('--accept-open <reason>', 'close in spite of open breaks and unverified records; the reason is recorded')
    .runs(async (session, period, { by, acceptOpen = null }) => {
      const { done, out } = await stated(session, 'period.close', { period, by }, ({ edges, closePeriod }) =>
        closePeriod(edges, { period, by, acceptOpen, signal: session.signal }),
      );
      await printSealed(session, done, out);
    });

  command(program, 'period review', {
    summary: 'Record that a second person has reviewed a closed month, or its later deltas',
    details: 'Refuses the person who closed the month or stated the delta, and a sealed set that no longer verifies.',
    examples: ['tieout period review 2026-10 --by "Bob Ray"'],
  })
    .argument('<month>', 'month, as 2026-10')
    .requiredOption('--by <name>', 'name to record')
    .runs(async (session, period, { by }) => {
      const { done } = await stated(session, 'period.review', { period, by }, ({ edges, reviewPeriod }) =>
        reviewPeriod(edges, { period, by }),
      );
      await session.out.result(closedAsJson(done), `${done.period} is reviewed by ${by}; ${done.closedBy} closed it.`);
    });

  command(program, 'period delta', {
    summary: 'Publish what has changed in a closed month since its close, in a set beside the sealed one',
    details:
      'Writes `periods/2026-10-delta-001` and so on. Refuses if nothing differs. The sealed set never changes. The month counts ' +
      'as reviewed again once a second person has reviewed the delta (`period review`).',
    examples: ['tieout period delta 2026-10 --by "Ann Lee"'],
  })
    .argument('<month>', 'month, as 2026-10')
    .requiredOption('--by <name>', 'name to record')
    .runs(async (session, period, { by }) => {
      const { done, out } = await stated(session, 'period.delta', { period, by }, ({ edges, publishDelta }) =>
        publishDelta(edges, { period, by, signal: session.signal }),
      );
      await printSealed(session, done, out);
    });

  command(program, 'period pack', {
    summary: 'Write the month-end pack of a closed month: a workbook and a page to print, signed',
    details:
      'Contains the sign-offs; the movement of open breaks since the close before (opening + new − resolved − ' +
      'waived = closing, by code, currency and money at stake); the steps from the host share to the journal; the ' +
      'journal; and every unverified record by name. It is made only from the sealed set. Writes to the folder of ' +
      '--out, or to `packs` in the out folder; a pack that is made again, as after a review, is a new revision. Signed ' +
      'with publish.signingKeyFile; `tieout verify` checks it.',
    examples: ['tieout period pack 2026-10', 'tieout period pack 2026-10 --out for-the-board'],
  })
    .argument('<month>', 'month, as 2026-10')
    .runs(async (session, month) => {
      const [{ packMonth, packsIn }, { outFolders }] = await Promise.all([
        import('../../app/month-end-pack.ts'),
        import('../../app/render-run.ts'),
      ]);
      const { published, own } = outFolders(await session.publishedOut(), session.flags.out);
      const out = own ?? packsIn(published);
      const app = await session.app();
      if ((await app.store.periods.get(month)) !== null) await makeOutFolder(out);
      const pack = await packMonth(app, month, { out, published });
      const { isSigned: signed, ...files } = pack;
      await session.out.result({ ...files, signed }, [
        ['workbook', files.workbook],
        ['page', files.page],
        ['signed', signed ? 'yes' : 'no: publish.signingKeyFile is not set'],
      ]);
    });
};

async function showMonth(session: Session, month: string): Promise<ExitCode> {
  const { app, edges, periodStatus } = await openPeriods(session, month, import('../../periods/status.ts'));
  const status = await periodStatus(edges, month);
  const { hostShareOf } = await import('../../app/host-share.ts');
  const hostShare = await hostShareOf(app, status);
  if (session.out.json) await session.out.value(statusAsJson(status, hostShare));
  else await printStatus(session.out, status, hostShare);
  return status.state !== 'open' && status.sets.some(({ problems }) => problems.length > 0) ? EXIT.breaks : EXIT.clean;
}

async function listMonths(session: Session): Promise<void> {
  const { edges, listMonths: monthsOf } = await openPeriods(session, null, import('../../periods/status.ts'));
  const months = await monthsOf(edges);
  const periods = months.map(({ period, state, closed }) =>
    closed === null ? { period, state } : closedAsJson(closed),
  );
  await session.out.list(
    { periods },
    months,
    [
      { title: 'month', cell: ({ period }) => period },
      { title: 'state', cell: ({ state }) => state },
      { title: 'closed by', cell: ({ closed }) => closed?.closedBy ?? '' },
      { title: 'closed at', cell: ({ closed }) => (closed === null ? '' : isoInstant(closed.closedAt)) },
      { title: 'reviewed by', cell: ({ closed }) => closed?.reviewedBy ?? '' },
      { title: 'accepted open', cell: ({ closed }) => closed?.acceptedOpen ?? '' },
    ],
    'No records, so no months.',
  );
}

/**
 * The application as commands about months use it.
 * @param month checked before a database is opened
 * @param functions those of the command, loaded here because its help needs none of them
 */
async function openPeriods<T extends object>(session: Session, month: string | null, functions: Promise<T>) {
  if (month !== null) periodRange(month, 'UTC');
  const [loaded, { periodEdges }] = await Promise.all([functions, import('../../app/periods.ts')]);
  const app = await session.app();
  return { ...loaded, app, edges: periodEdges(app) };
}

type Opened<T extends object> = Awaited<ReturnType<typeof openPeriods<T>>>;

/**
 * An act of a person whose name is stated only; it is recorded, done or refused: for a second person, the pages compare
 * accounts too.
 * @throws UsageError where the settings want proved names
 */
async function stated<T>(
  session: Session,
  action: string,
  { period, by }: { period: string; by: string },
  act: (opened: Opened<typeof import('../../periods/close.ts')>) => Promise<T>,
): Promise<{ done: T; out: string }> {
  const opened = await openPeriods(session, period, import('../../periods/close.ts'));
  const { settings, store, clock } = opened.app;
  const note = (outcome: 'done' | 'refused', detail: string | null) =>
    store.access.note({ at: clock.wall.now(), ...statedActor(by), action, subject: period, outcome, detail });
  if (settings.fourEyes.periods) {
    const why = 'fourEyes.periods is set: a month is closed and reviewed on the pages, by people who signed in';
    await note('refused', why);
    throw new UsageError(why);
  }
  const done = await act(opened);
  await note('done', null);
  return { done, out: settings.out };
}

async function printSealed({ out }: Session, sealed: PublishedPeriod, folder: string): Promise<void> {
  const { period, by, resumed, figures, changes } = sealed;
  if (out.json) {
    await out.value({
      period,
      folder: join(folder, sealed.folder),
      manifest_sha256: sealed.manifestSha256,
      stated_by: by,
      resumed,
      ...(figures === null ? {} : figuresAsJson(figures)),
      changes,
    });
    return;
  }
  await out.line(figures === null ? `What differs in ${period} is stated by ${by}.` : `${period} is closed by ${by}.`);
  const differing = changes.filter(({ records }) => records > 0);
  await out.pairs([
    ['set', join(folder, sealed.folder)],
    ['manifest', sealed.manifestSha256],
    ['records', figures === null ? null : count(figures.population)],
    ['breaks open', figures === null || figures.breaks.open === 0 ? null : count(figures.breaks.open)],
    ...differing.map(
      (each) =>
        [each.period, `${counted(each.changes, 'change')} on ${counted(each.records, 'record')}`] as [string, string],
    ),
    ['completed', resumed ? `what ${by} had begun; it had been interrupted` : null],
  ]);
}
