/** The month: what moved, what stands in the way, and its close and review by two proved people. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { areTwoPeople, isSamePerson } from '../../domain/actor.ts';
import { isMonth, lastFullDate, monthAfter } from '../../domain/calendar.ts';
import { UsageError } from '../../domain/errors.ts';
import { closePeriod, publishDelta, reviewPeriod } from '../../periods/close.ts';
import { periodRange, unreviewedDeltas } from '../../periods/month.ts';
import { movementOf, movesIn } from '../../periods/movement.ts';
import type { ChangeFigures } from '../../periods/stage.ts';
import { changedSince, listMonths, type PeriodStatus, periodStatus } from '../../periods/status.ts';
import type { MovementRow } from '../../ports/period.ts';
import type { SettledMonth } from '../../ports/settled.ts';
import type { ClosedPeriod } from '../../ports/store/periods.ts';
import type { Act } from '../../ports/store/store.ts';
import { MANIFEST, manifestIn } from '../../publish/manifest.ts';
import { SIGNATURE } from '../../publish/sign.ts';
import { zipOf } from '../../publish/zip.ts';
import { csvText } from '../../text/csv-text.ts';
import { harmless } from '../../text/visible.ts';
import { knownAs } from '../../worklist/known-as.ts';
import type { PagesEdges } from '../contract.ts';
import { keptUntilEvent } from '../kept.ts';
import { note, requireProved } from '../people.ts';
import {
  done,
  download,
  field,
  NotFoundError,
  param,
  personIn,
  queryOf,
  RefusedError,
  send,
  sendFile,
} from '../request.ts';
import { monthHtml, monthsHtml } from '../views/months.ts';

/** The list compares the newest closed months with what is known now; the page of an older one does. */
const MOST_COMPARED = 6;

const NAMED_COLUMNS = ['kind', 'recordId', 'hostReference', 'verdict', 'why'] as const;

/** A month is closed once, and confirmed at most once by each. */
const CLOSERS = 20;

export function monthRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const { store, periods, settings } = edges;
  const moved = keptUntilEvent<readonly MovementRow[]>(store);
  const changed = keptUntilEvent<ChangeFigures>(store);
  const settled = keptUntilEvent<readonly SettledMonth[]>(store);
  /** Of a closed month as the last night before its close knew it. */
  const revenueOf = async ({ period, state }: PeriodStatus): Promise<readonly SettledMonth[]> => {
    if (period >= lastFullDate(edges.now(), settings.timezone).slice(0, 7) && state === 'open') return [];
    const close = (await store.periods.statements(period)).find((each) => each.type === 'close');
    const key = `${period} ${state} ${await store.evidence.newestPayout()}`;
    return settled(key, async () => {
      const known = close === undefined ? await edges.payments.revenue() : await periods.revenue(close);
      return known?.months.filter(({ month }) => month === period) ?? [];
    });
  };
  /** Of a sealed set: only what its manifest names, whose schema allows no path in a name. */
  const filesOf = (folder: string) => manifestIn(join(settings.out, folder))?.files ?? [];
  const view = { config: { permission: 'view' as const } };
  /** Refused closes closed nothing. */
  const closersOf = (period: string) =>
    store.access.acts({ action: 'period.close', subject: period, outcome: 'done', limit: CLOSERS });
  /** Who stated the deltas that are not reviewed. Found by their number and not by time, because the clock may have been set back. */
  const statersOf = async (period: string) => {
    const { length: limit } = unreviewedDeltas(await store.periods.statements(period));
    return limit === 0 ? [] : store.access.acts({ action: 'period.delta', subject: period, outcome: 'done', limit });
  };
  /** Closed by a name that was not proved, and not reviewed. */
  const isBlocked = (closed: ClosedPeriod | null, closers: readonly Act[]) =>
    settings.provedPeriods && closed?.reviewedBy === null && closers.every(({ proof }) => proof !== 'proved');
  const periodIn = (text: string): string => {
    if (!isMonth(text)) throw new NotFoundError('A month is written as 2026-10.');
    return text;
  };

  app.get('/months', view, async (request, reply) => {
    const months = [...(await listMonths(periods))].reverse();
    const since = new Map<string, ChangeFigures>();
    for (const { closed } of months.filter(({ closed: each }) => each !== null).slice(0, MOST_COMPARED)) {
      if (closed === null) continue;
      // A statement is no event of a break, so its number is part of the key.
      const stated = (await store.periods.statements(closed.period)).length;
      const key = `${closed.period} ${stated}`;
      since.set(closed.period, await changed(key, () => changedSince(periods, closed)));
    }
    return send(request, reply, { title: 'Months', at: '/months', body: monthsHtml(months, since) });
  });

  app.get('/months/:month', view, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const status: PeriodStatus = await periodStatus(periods, period);
    const [moves, acts, closers, closed, revenue] = await Promise.all([
      // Of a closed month as its pack has it: one figure.
      moved(`${period} ${status.state}`, () =>
        status.state === 'open' ? movesIn(store, status.range) : movementOf(periods, period),
      ),
      store.access.acts({ subject: period, limit: 20 }),
      closersOf(period),
      store.periods.list(),
      revenueOf(status),
    ]);
    const [oldest, newest] = [closed[0]?.period, closed.at(-1)?.period];
    const isTurn = newest === undefined || monthAfter(newest) === period;
    const sets = status.state === 'open' ? [] : status.sets.map(({ folder }) => ({ folder, files: filesOf(folder) }));
    return send(request, reply, {
      title: `Month ${period}`,
      at: '/months',
      body: (frame) =>
        monthHtml(frame, {
          status,
          moves,
          acts,
          sets,
          revenue,
          formats: edges.journalFormats,
          firstToClose: isTurn ? null : monthAfter(newest),
          isBeforeFirst: status.state === 'open' && oldest !== undefined && period < oldest,
          isBlocked: isBlocked(status.state === 'open' ? null : status.closed, closers),
        }),
    });
  });

  app.get('/months/:month/pack.zip', view, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    return download(reply, 'application/zip', `month-end-${period}.zip`, await edges.packMonth(period));
  });

  app.get(
    '/months/:month/journal',
    { config: { permission: 'view', query: ['format', 'corrections'] } },
    async (request, reply) => {
      const period = periodIn(param(request, 'month'));
      const query = queryOf(request);
      const format = edges.journalFormats.find((each) => each === query.get('format'));
      if (format === undefined) throw new UsageError(`format: one of ${edges.journalFormats.join(', ')}`);
      const isClosed = (await store.periods.get(period)) !== null;
      const files = await edges.journal(period, { format, isClosed, corrections: query.get('corrections') === 'yes' });
      const [first] = files;
      if (files.length === 1 && first !== undefined)
        return download(reply, 'application/octet-stream', first.name, Buffer.from(first.content));
      const packed = files.map(({ name, content }) => ({ name, bytes: Buffer.from(content) }));
      return download(
        reply,
        'application/zip',
        `${period}-${format}.zip`,
        await zipOf(packed, periodRange(period, settings.timezone).to),
      );
    },
  );

  // Of an open month; those of a closed one are in its set.
  app.get('/months/:month/records.csv', view, async (request, reply) => {
    const status = await periodStatus(periods, periodIn(param(request, 'month')));
    const rows = status.state === 'open' ? status.records : [];
    const cells = rows.map((each) => NAMED_COLUMNS.map((name) => harmless(each[name] ?? '')));
    const head = NAMED_COLUMNS.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    return download(reply, 'text/csv; charset=utf-8', `${status.period}-records.csv`, csvText([head, ...cells]));
  });

  app.get('/months/:month/sets/:number/:file', view, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const number = /^\d{1,4}$/.test(param(request, 'number')) ? Number(param(request, 'number')) : -1;
    const statement = (await store.periods.statements(period)).find(
      (each) => each.type !== 'carried' && each.state === 'sealed' && each.number === number,
    );
    const folder = statement?.folder ?? null;
    const wanted = param(request, 'file');
    const names = folder === null ? [] : [MANIFEST, SIGNATURE, ...filesOf(folder).map(({ name }) => name)];
    const name = names.find((each) => each === wanted);
    if (folder === null || name === undefined) throw new NotFoundError('There is no such file.');
    return sendFile(reply, `${period}-${name}`, join(settings.out, folder, name));
  });

  app.post('/months/:month/delta', { config: { permission: 'close' } }, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const { actor } = personIn(request);
    if (edges.settings.provedPeriods) requireProved(actor, 'state a delta');
    await publishDelta(periods, { period, by: actor.name });
    await note(edges, actor, { action: 'period.delta', subject: period, outcome: 'done' });
    return done(request, reply, `/months/${period}`, 'What differs is stated in a delta. Another person reviews it.');
  });

  app.post('/months/:month/close', { config: { permission: 'close' } }, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const { actor } = personIn(request);
    if (edges.settings.provedPeriods) requireProved(actor, 'close a month');
    const acceptOpen = field(request, 'accept') || null;
    await closePeriod(periods, { period, by: actor.name, acceptOpen, seen: field(request, 'seen') || undefined });
    await note(edges, actor, { action: 'period.close', subject: period, outcome: 'done' });
    return done(request, reply, `/months/${period}`, `${period} is closed. Another person reviews it.`);
  });

  // A month that a command line closed, or whose close was not noted because the process died: without this its review is blocked for ever.
  app.post('/months/:month/confirm', { config: { permission: 'close' } }, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const { actor } = personIn(request);
    requireProved(actor, 'confirm a close');
    const status = await periodStatus(periods, period);
    if (status.state !== 'closed' || !isBlocked(status.closed, await closersOf(period)))
      throw new RefusedError(`The close of ${period} needs no confirmation.`);
    const problem = status.sets.flatMap(({ problems }) => problems)[0];
    if (problem !== undefined) throw new RefusedError(`The sealed set of ${period} is damaged: ${problem}`);
    const detail = `confirms the close that ${status.closed.closedBy} stated`;
    await note(edges, actor, { action: 'period.close', subject: period, outcome: 'done', detail });
    return done(request, reply, `/months/${period}`, `The close of ${period} is confirmed. Another person reviews it.`);
  });

  app.post('/months/:month/review', { config: { permission: 'review' } }, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const { actor } = personIn(request);
    periodRange(period, edges.settings.timezone);
    if (edges.settings.provedPeriods) requireProved(actor, 'review a month');
    const closed = await store.periods.get(period);
    const isReviewed = closed !== null && closed.reviewedBy !== null;
    const closers = isReviewed ? [] : await closersOf(period);
    const me = await knownAs(edges.store.access, actor);
    const stated = [...closers, ...(await statersOf(period))];
    const known = await Promise.all(stated.map((each) => knownAs(edges.store.access, each)));
    if (
      known.some((each) => !areTwoPeople(each, me)) ||
      (closed !== null && !isReviewed && isSamePerson(closed.closedBy, actor.name))
    ) {
      throw new RefusedError(
        `You ${isReviewed ? 'stated a delta of' : 'closed'} ${period}, or one of you made the sign-in link of the other; another person has to review it.`,
      );
    }
    if (isBlocked(closed, closers)) {
      throw new RefusedError(
        `${period} was closed by a name that was not proved, so its review is refused. A closer confirms the close on this page first.`,
      );
    }
    await reviewPeriod(periods, { period, by: actor.name, seen: field(request, 'seen') });
    await note(edges, actor, { action: 'period.review', subject: period, outcome: 'done' });
    return done(request, reply, `/months/${period}`, `${period} is reviewed.`);
  });
}
