/** `tieout breaks ack|assign|waive|reopen|undo`: decisions of people about breaks. Every decision is an appended event. */
import type { App } from '../../app/app.ts';
import { waiverLimits } from '../../app/four-eyes.ts';
import type { BreakEventType } from '../../domain/break.ts';
import { businessDateOf } from '../../domain/calendar.ts';
import { UnknownBreakError } from '../../ports/store/errors.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { claimedAllTheSame, covering } from '../../worklist/covering.ts';
import type { Decision } from '../../worklist/decide.ts';
import { planUndo, withHistory } from '../../worklist/undo.ts';
import { type Deciding, type PlannedEvent, planDecision } from '../../worklist/work.ts';
import { type CliCommand, type CommandText, command, type Register } from '../context.ts';
import { requireText, statedActor } from '../person.ts';
import { readDate } from '../runs/run-job.ts';
import type { Session } from '../session.ts';

const TEXTS: Readonly<Record<Decision['type'], { name: string; summary: string; example: string }>> = {
  acknowledged: {
    name: 'ack',
    summary: 'Record that a person works on a break',
    example: 'tieout breaks ack 3f9a1c --reason "asked the Service, ticket 4711"',
  },
  assigned: {
    name: 'assign',
    summary: 'Assign a break to a person',
    example: 'tieout breaks assign 3f9a1c --to ann --reason "card fees are hers"',
  },
  waived: {
    name: 'waive',
    summary: 'Accept a break, and those that it leads, as they are; another difference reopens them',
    example: 'tieout breaks waive 3f9a1c --until 2026-12-31 --reason "goodwill, refunded by us"',
  },
  reopened: {
    name: 'reopen',
    summary: 'Take a waiver or an acknowledgement back',
    example: 'tieout breaks reopen 3f9a1c --reason "the refund bounced"',
  },
};

export const register: Register = (program) => {
  for (const type of Object.keys(TEXTS) as Decision['type'][]) registerOne(program, type);
  decision(program, 'breaks undo', {
    summary: 'Undo the newest decision about a break, on the day it was made',
    details: 'The undo is an event of its own. What the decision covered with the break is undone with it.',
    examples: ['tieout breaks undo 3f9a1c --reason "the wrong row"'],
  }).runs(async (session, ids, { reason, by }) => {
    requireText('--reason', reason);
    const app = await session.app();
    const chosen = (await breaksNamed(app, ids)).map(({ breakId }) => breakId);
    const records = await withHistory(app.store, chosen);
    const events = planUndo(chosen, records, { ...decidingAs(by, app), reason, timezone: app.settings.timezone });
    await app.store.breaks.append(events);
    await print(session, 'undone', events);
  });
};

const decision = (program: CliCommand, path: string, text: CommandText) =>
  command(program, path, text)
    .argument('<break...>', 'ids, or at least the first six characters of each')
    .requiredOption('--reason <text>', 'reason to record')
    .option('--by <name>', 'name to record (default: the user of this machine)');

function registerOne(program: CliCommand, type: Decision['type']): void {
  const { name, summary, example } = TEXTS[type];
  const built = decision(program, `breaks ${name}`, { summary, examples: [example] });
  if (type === 'assigned') built.requiredOption('--to <name>', 'person to assign it to');
  if (type === 'waived') built.option('--until <date>', 'last business date of the waiver (default: no end)');
  built.runs(async (session, ids, flags: { reason: string; by?: string; until?: string; to?: string }) => {
    requireText('--reason', flags.reason);
    requireText('--to', flags.to);
    const until = readDate('--until', flags.until);
    const app = await session.app();
    const wish = { type, reason: flags.reason, until, assignee: flags.to ?? null };
    const deciding = decidingAs(flags.by, app);
    const before = await breaksNamed(app, ids);
    // All or none: a list of ids is one decision.
    const planned = before.map((each) => planDecision(each, wish, deciding));
    const records = await app.store.workList.ofSameRecords(before.map(({ breakId }) => breakId));
    const events = covering(planned, records, deciding);
    await app.store.breaks.append(events);
    await print(session, type, events);
    const claimed = claimedAllTheSame(events);
    if (claimed !== null) session.screen.write(`${claimed}: see \`tieout claims show\`\n`);
  });
}

async function print({ out }: Session, type: BreakEventType, events: readonly PlannedEvent[]): Promise<void> {
  if (out.json)
    return out.value(events.map(({ after: { breakId, state, assignee } }) => ({ break_id: breakId, state, assignee })));
  for (const { after } of events) {
    const { breakId, rule, kind, recordId } = after;
    const outcome = type === 'assigned' ? `assigned to ${after.assignee}` : after.state;
    await out.line(`${breakId.slice(0, 12)}  ${outcome}  ${rule} on ${kind} ${recordId}`);
  }
}

/** The actor, the time, and the waiver limits. */
export function decidingAs(by: string | undefined, { clock, settings }: App): Deciding {
  const at = clock.wall.now();
  const today = businessDateOf(at, settings.timezone);
  return { actor: statedActor(by), at, today, limits: waiverLimits(settings) };
}

/** @throws UnknownBreakError, AmbiguousBreakIdError */
export async function breakNamed(app: App, id: string): Promise<CurrentBreak> {
  const found = await app.store.breaks.get(id);
  if (found === null) throw new UnknownBreakError(id);
  return found;
}

export const breaksNamed = (app: App, ids: readonly string[]) => Promise.all(ids.map((id) => breakNamed(app, id)));
