/**
 * `tieout period close|review|delta`: seals a month, records its review by a second person, and publishes later
 * differences.
 */
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { UsageError } from '../../domain/errors.ts';
import type { PublishedPeriod } from '../../periods/close.ts';
import { count, counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { statedActor } from '../person.ts';
import type { Session } from '../session.ts';
import { openPeriods } from './edges.ts';
import { closedAsJson, figuresAsJson } from './report.ts';

export const register: Register = (program) => {
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
    .runs(async (session, period, flags) => {
      const { app, edges, closePeriod } = await openPeriods(session, import('../../periods/close.ts'));
      await refuseStated(app, 'period.close', period, flags.by);
      const { by, acceptOpen = null } = flags;
      const sealed = await closePeriod(edges, { period, by, acceptOpen, signal: session.signal });
      await noteStated(app, { action: 'period.close', subject: period, outcome: 'done', detail: null }, by);
      await printSealed(session, sealed, app.settings.out);
    });

  command(program, 'period review', {
    summary: 'Record that a second person has reviewed a closed month, or its later deltas',
    details: 'Refuses the person who closed the month or stated the delta, and a sealed set that no longer verifies.',
    examples: ['tieout period review 2026-10 --by "Bob Ray"'],
  })
    .argument('<month>', 'month, as 2026-10')
    .requiredOption('--by <name>', 'name to record')
    .runs(async (session, period, flags) => {
      const { app, edges, reviewPeriod } = await openPeriods(session, import('../../periods/close.ts'));
      await refuseStated(app, 'period.review', period, flags.by);
      const reviewed = await reviewPeriod(edges, { period, by: flags.by });
      await noteStated(app, { action: 'period.review', subject: period, outcome: 'done', detail: null }, flags.by);
      if (session.out.json) await session.out.value(closedAsJson(reviewed));
      else await session.out.line(`${reviewed.period} is reviewed by ${flags.by}; ${reviewed.closedBy} closed it.`);
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
    .runs(async (session, period, flags) => {
      const { app, edges, publishDelta } = await openPeriods(session, import('../../periods/close.ts'));
      await refuseStated(app, 'period.delta', period, flags.by);
      const sealed = await publishDelta(edges, { period, by: flags.by, signal: session.signal });
      await noteStated(app, { action: 'period.delta', subject: period, outcome: 'done', detail: null }, flags.by);
      await printSealed(session, sealed, app.settings.out);
    });
};

/** A name on a command line is stated only. @throws UsageError where the settings want proved ones */
async function refuseStated(app: App, action: string, period: string, by: string): Promise<void> {
  if (!app.settings.fourEyes.periods) return;
  const why = 'fourEyes.periods is set: a month is closed and reviewed on the pages, by people who signed in';
  await noteStated(app, { action, subject: period, outcome: 'refused', detail: why }, by);
  throw new UsageError(why);
}

/** The person in the record of acts: for a second person, the pages compare accounts too. */
function noteStated(
  { store, clock }: App,
  act: { action: string; subject: string; outcome: 'done' | 'refused'; detail: string | null },
  by: string,
): Promise<void> {
  return store.access.note({ at: clock.wall.now(), ...statedActor(by), ...act });
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
