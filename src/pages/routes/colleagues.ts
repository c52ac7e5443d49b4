/** What people add to a break: notes, attachments, requests for waivers; and its evidence to download. */
import type { FastifyInstance } from 'fastify';
import { areTwoPeople } from '../../domain/actor.ts';
import { UsageError } from '../../domain/errors.ts';
import { BreakMovedOnError } from '../../ports/store/errors.ts';
import { ATTACHMENT_QUOTA } from '../../ports/store/work-list.ts';
import { covering, whyWaiverIsShared } from '../../worklist/covering.ts';
import { knownAs } from '../../worklist/known-as.ts';
import { type PlannedEvent, planDecision } from '../../worklist/work.ts';
import type { PagesEdges } from '../contract.ts';
import { note, requireProved } from '../people.ts';
import { done, download, field, fileIn, filled, NotFoundError, param, personIn, RefusedError } from '../request.ts';
import { breakIn, decidingIn, requireFresh, untilIn } from './break.ts';

const NO_REQUEST = 'There is no such request any more.';
const MOST_NOTE = 4000;
const MOST_MENTIONS = 20;

export function colleagueRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const work = { config: { permission: 'work' as const } };
  app.post('/breaks/:id/notes', work, async (request, reply) => {
    const { breakId } = await breakIn(request, edges);
    const { actor } = personIn(request);
    const text = filled(request, 'text', 'the note', MOST_NOTE);
    const mentions = mentioned(text, await edges.store.access.people());
    const { name, account } = actor;
    await edges.store.workList.addNote({ breakId, at: edges.now(), name, account, text, mentions });
    return done(request, reply, `/breaks/${breakId}`, 'The note is added.');
  });

  app.post('/breaks/:id/attachments', work, async (request, reply) => {
    const { breakId } = await breakIn(request, edges);
    const { name, account } = personIn(request).actor;
    const { fileName, content } = await fileIn(request);
    const facts = { at: edges.now(), name, account, fileName, bytes: content.length };
    const attached = await edges.store.workList.attach(breakId, facts, content);
    if (!attached) {
      throw new RefusedError(
        `A break has at most ${ATTACHMENT_QUOTA.files} files, and a person attaches at most ${ATTACHMENT_QUOTA.bytes / 1024 ** 2} MiB in 24 hours.`,
      );
    }
    return done(request, reply, `/breaks/${breakId}`, 'The file is attached.');
  });

  app.get('/breaks/:id/attachments/:hash', { config: { permission: 'view' } }, async (request, reply) => {
    const { breakId } = await breakIn(request, edges);
    const hash = param(request, 'hash');
    const found = /^[0-9a-f]{64}$/.test(hash) ? await edges.store.workList.attachment(breakId, hash) : null;
    if (found === null) throw new NotFoundError('There is no such attachment.');
    // Sent as a download, never shown in the page: a file may be HTML with a script.
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(found.fileName)}`)
      .send(Buffer.from(found.content));
  });

  app.get('/breaks/:id/evidence.json', { config: { permission: 'view' } }, async (request, reply) => {
    const { evidenceSha256 } = await breakIn(request, edges);
    const text = evidenceSha256 === null ? null : await edges.store.items.evidence(evidenceSha256);
    if (text === null) throw new NotFoundError('No readable body is kept for this break.');
    return download(reply, 'application/json', `${evidenceSha256?.slice(0, 16)}.json`, text);
  });

  app.get('/breaks/:id/evidence.zip', { config: { permission: 'view' } }, async (request, reply) => {
    const standing = await breakIn(request, edges);
    const name = `break-${standing.breakId.slice(0, 12)}.zip`;
    return download(reply, 'application/zip', name, await edges.packBreak(standing));
  });

  app.post('/breaks/:id/waiver', work, async (request, reply) => {
    const standing = await breakIn(request, edges);
    requireFresh(request, standing);
    const related = await edges.store.workList.ofSameRecords([standing.breakId]);
    if (whyWaiverIsShared(standing, related, edges.settings.limits) === null)
      throw new UsageError('this waiver needs no second person');
    const { name, account } = personIn(request).actor;
    const deciding = decidingIn(request, edges);
    await edges.store.workList.askWaiver({
      breakId: standing.breakId,
      askedBy: name,
      askedAccount: account,
      askedAt: deciding.at,
      reason: filled(request, 'reason', 'the reason'),
      until: untilIn(request, deciding),
      events: standing.events,
    });
    const said = 'The waiver is asked for. Another person has to approve it.';
    return done(request, reply, `/breaks/${standing.breakId}`, said);
  });

  app.post('/breaks/:id/waiver/:key', { config: { permission: 'approve' } }, async (request, reply) => {
    const standing = await breakIn(request, edges);
    const deciding = decidingIn(request, edges);
    const { actor } = deciding;
    const requests = await edges.store.workList.waiverRequests(standing.breakId);
    const asked = requests.find(({ key, outcome }) => String(key) === param(request, 'key') && outcome === null);
    if (asked === undefined) throw new NotFoundError(NO_REQUEST);
    if (asked.events !== standing.events) throw new BreakMovedOnError(standing.breakId);
    const asker = await knownAs(edges.store.access, { name: asked.askedBy, account: asked.askedAccount });
    if (!areTwoPeople(asker, await knownAs(edges.store.access, actor))) {
      throw new RefusedError(
        'This waiver needs a second person, and you asked for it, or one of you made the sign-in link of the other.',
      );
    }
    requireProved(actor, 'approve a waiver');
    const reason = filled(request, 'reason', 'the reason');
    const outcome = field(request, 'outcome') === 'approved' ? 'approved' : 'refused';
    const subject = standing.breakId;
    const events: PlannedEvent[] = [];
    if (outcome === 'approved') {
      const because = `${asked.reason} (asked by ${asked.askedBy}; ${reason})`;
      const approved = { ...deciding, secondPerson: true };
      const wish = { type: 'waived', reason: because, until: asked.until, assignee: null } as const;
      const records = await edges.store.workList.ofSameRecords([subject]);
      events.push(...covering([planDecision(standing, wish, approved)], records, approved));
    }
    // With the outcome or not at all: of two people who decide at the same moment one is too late.
    if (!(await edges.store.workList.decideWaiver(asked.key, actor.name, deciding.at, outcome, events)))
      throw new NotFoundError(NO_REQUEST);
    await note(edges, actor, { action: `waiver.${outcome}`, subject, outcome: 'done', detail: reason });
    return done(request, reply, `/breaks/${subject}`, `The waiver is ${outcome}.`);
  });
}

/** Colleagues whose name stands behind an @, with or without blanks in it. */
export function mentioned(text: string, people: readonly string[]): readonly string[] {
  const plain = text.toLowerCase();
  const found = people.filter((name) =>
    [name, name.replaceAll(/\s+/g, '')].some((form) => plain.includes(`@${form.toLowerCase()}`)),
  );
  return found.slice(0, MOST_MENTIONS);
}
